public import RillCodec
public import RillReceive
public import RillSend
public import RillSession

/// Why a pipeline could not be made, or a stream not be added.
public enum PipelineError: Error, Equatable, Sendable {
    /// An encoder, a decoder or the plan of the layers refused its settings.
    case codec(CodecError)
    /// A stream refused its settings.
    case stream(SendError)
    /// What the other side chose for a stream cannot be received.
    case receive(ReceiveError)
    /// The session takes no such stream.
    case session(SessionError)
}

extension PipelineError {
    /// What a session said of a stream.
    init(_ error: SessionError) {
        switch error {
        case .send(let error): self = .stream(error)
        case .receive(let error): self = .receive(error)
        case .sourceInUse, .tooManyStreams: self = .session(error)
        }
    }
}

extension PipelineError: CustomStringConvertible {
    /// The refusal in the words of the part that refused, for a log or a person.
    public var description: String {
        switch self {
        case .codec(let error): error.description
        case .stream(let error): "\(error)"
        case .receive(let error): error.description
        case .session(let error): error.description
        }
    }
}
