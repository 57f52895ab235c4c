import RillThreads

/// Where the threads of a live session run.
public enum ThreadPlacement: Sendable {
    /// Where the system puts them: right for most sessions.
    case system
    /// The encoder of the largest layer on the last hardware thread that the process may use, all other threads on
    /// the rest. With one hardware thread it is the same as ``system``.
    ///
    /// For a machine whose main work is the session, and a single-threaded encoder. If the system puts small threads
    /// on the hardware thread that an encoder occupies for most of a frame's time, they wait for it. The gain depends
    /// on the system: measure it with `Scripts/bench latency`.
    case encoderApart
}

extension ThreadPlacement {
    /// The CPU affinity of a thread.
    func affinity(isLargestEncoder: Bool) -> NamedThread.CPUAffinity {
        switch self {
        case .system: .any
        case .encoderApart: isLargestEncoder ? .last : .allButLast
        }
    }
}
