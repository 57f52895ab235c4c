import Glibc

/// Keeps a hardware thread busy until it is ended, or until who started it is gone: nobody is left spinning.
struct SpinWork {
    /// Who started it.
    var parent: pid_t

    /// Steps from one look at the parent to the next: a millisecond or so.
    private static let stepCount = 1 << 20

    func run() -> Int {
        var state: UInt64 = 1
        while getppid() == parent {
            // Steps that build on each other: no compiler leaves them out.
            for _ in 0..<SpinWork.stepCount { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        }
        return Int(truncatingIfNeeded: state)
    }
}
