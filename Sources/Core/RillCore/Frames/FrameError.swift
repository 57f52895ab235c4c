/// Errors of frame memory.
public enum FrameError: Error, Equatable, Sendable {
    /// The system has no memory for a pool.
    case outOfMemory(byteCount: Int)
}

extension FrameError: CustomStringConvertible {
    /// The size of the failed allocation, and a remedy.
    public var description: String {
        switch self {
        case .outOfMemory(let byteCount):
            "no memory for a frame pool of \(byteCount) bytes: use fewer or smaller frames"
        }
    }
}
