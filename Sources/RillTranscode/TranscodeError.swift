public import RillCodec

/// Why a transcode could not begin.
public enum TranscodeError: Error, Equatable, Sendable {
    /// An encoder, or the plan of the layers, refused its settings.
    case codec(CodecError)
    /// Two passes, or parts, need a source that can be opened again; this one is read once.
    case sourceNotReopenable
}

extension TranscodeError: CustomStringConvertible {
    /// The refusal in the words of who refused, for a log or a person.
    public var description: String {
        switch self {
        case .codec(let error): error.description
        case .sourceNotReopenable:
            "the source is read but once: two passes and segments need one that can be opened again"
        }
    }
}
