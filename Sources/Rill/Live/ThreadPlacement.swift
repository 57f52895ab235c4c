/// Where the threads of a live session run.
public enum ThreadPlacement: Sendable {
    /// Where the system puts them: right for most.
    case system
    /// The encoder of the largest layer on the last hardware thread that the process may use, all other threads on the rest;
    /// with one hardware thread the same as ``system``.
    ///
    /// For a machine whose main work the session is, and an encoder of one thread. An encoder keeps its hardware thread for
    /// most of a frame's time, and a system that gathers threads on few of them, as some virtual machines' do, lets those
    /// that need little wait behind it: on such a machine of two a thumbnail waited for up to 5 ms while the other one
    /// slept.
    case encoderApart
}

extension ThreadPlacement {
    /// What a thread keeps to.
    func part(isLargestEncoder: Bool) -> NamedThread.Part {
        switch self {
        case .system: .any
        case .encoderApart: isLargestEncoder ? .last : .allButLast
        }
    }
}
