public import RillCodec

/// Why a transcode could not start.
public enum TranscodeError: Error, Equatable, Sendable {
    /// An encoder or the layers' plan rejected its settings.
    case codec(CodecError)
    /// Two passes and segments need a source that can be reopened; this one is read once.
    case sourceNotReopenable
}

extension TranscodeError: CustomStringConvertible {
    /// One line with the underlying error, for a log or a person.
    public var description: String {
        switch self {
        case .codec(let error): error.description
        case .sourceNotReopenable:
            "the source can only be read once: two passes and segments need one that can be reopened"
        }
    }
}
