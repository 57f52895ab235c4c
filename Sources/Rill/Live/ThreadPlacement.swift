import RillThreads

/// Where the threads of a live session run.
public enum ThreadPlacement: Sendable {
    /// Where the system puts them: right for most.
    case system
    /// The encoder of the largest layer on the last hardware thread that the process may use, all other threads on the rest;
    /// with one hardware thread the same as ``system``.
    ///
    /// For a machine whose main work the session is, and an encoder of one thread: where the system puts threads that need
    /// little on the hardware thread that an encoder keeps for most of a frame's time, they wait for it. What it gains
    /// depends on the system: measure it with `Scripts/bench latency`.
    case encoderApart
}

extension ThreadPlacement {
    /// What a thread keeps to.
    func affinity(isLargestEncoder: Bool) -> NamedThread.CPUAffinity {
        switch self {
        case .system: .any
        case .encoderApart: isLargestEncoder ? .last : .allButLast
        }
    }
}
