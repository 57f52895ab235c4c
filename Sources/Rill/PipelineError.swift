public import RillCodec
public import RillSend

/// Why a pipeline could not be made.
public enum PipelineError: Error, Equatable, Sendable {
    /// An encoder, a decoder or the plan of the layers refused its settings.
    case codec(CodecError)
    /// A stream refused its settings.
    case stream(SendError)
    /// Every buffer of the source is kept by somebody: in virtual time nobody would ever let go.
    case sourceHasNoBuffer(framesCaptured: Int)
    /// A camera has no frames in virtual time.
    case sourceIsLive
    /// Two passes, or parts, need a source that can be opened again; this one is read once.
    case sourceIsReadOnce
}

extension PipelineError: CustomStringConvertible {
    /// The refusal in the words of the part that refused, for a log or a person.
    public var description: String {
        switch self {
        case .codec(let error): error.description
        case .stream(let error): "\(error)"
        case .sourceHasNoBuffer(let count):
            "after \(count) frames all buffers of the source are in use: a sink keeps them; use a larger pool, or copies"
        case .sourceIsReadOnce:
            "the source is read but once: two passes and segments need one that can be opened again"
        case .sourceIsLive: "a camera has frames in real time alone: drive it live"
        }
    }
}
