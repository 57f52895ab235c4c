/// Why a source cannot be driven in virtual time.
public enum VirtualTimeError: Error, Equatable, Sendable {
    /// Every buffer of the source is in use: in virtual time none would ever be released.
    case sourceHasNoBuffer(framesCaptured: Int)
    /// A camera has no frames in virtual time.
    case sourceIsLive
}

extension VirtualTimeError: CustomStringConvertible {
    /// What to do about it, for a log or a person.
    public var description: String {
        switch self {
        case .sourceHasNoBuffer(let count):
            "after \(count) frames all buffers of the source are in use: a sink keeps them; use a larger pool, or copies"
        case .sourceIsLive: "a camera only has frames in real time: drive it live"
        }
    }
}
