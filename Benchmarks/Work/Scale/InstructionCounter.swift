import Glibc
import Machine

/// Instructions of this process and the threads that it starts from here on, the kernel's for it among them where it may
/// count those. It rests until it is told to count.
final class InstructionCounter {
    private let descriptor: CInt

    init() {
        let whole = CPerfEvents_open(CPerfEvents_instructions, 1)
        descriptor = whole >= 0 ? whole : CPerfEvents_open(CPerfEvents_instructions, 0)
        if descriptor >= 0 { _ = CPerfEvents_pause(descriptor) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Counts while `body` runs.
    ///
    /// - Returns: `nil` where the machine counts none.
    func counting(_ body: () throws -> Void) rethrows -> Int64? {
        guard descriptor >= 0 else { return nil }
        let before = CPerfEvents_count(descriptor)
        guard before >= 0, CPerfEvents_resume(descriptor) == 0 else { return nil }
        // A counter that does not stop would count on in what is timed: it is not believed then.
        var isPaused = false
        do {
            defer { isPaused = CPerfEvents_pause(descriptor) == 0 }
            try body()
        }
        let after = CPerfEvents_count(descriptor)
        return isPaused && after >= 0 ? after - before : nil
    }
}
