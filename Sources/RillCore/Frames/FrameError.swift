/// What can go wrong with the memory of frames.
public enum FrameError: Error, Equatable, Sendable {
    /// The system gave no memory for a pool.
    case outOfMemory(byteCount: Int)
}

extension FrameError: CustomStringConvertible {
    /// How much memory was asked for, and what to do.
    public var description: String {
        switch self {
        case .outOfMemory(let byteCount):
            "no memory for a frame pool of \(byteCount) bytes: use fewer or smaller frames"
        }
    }
}
