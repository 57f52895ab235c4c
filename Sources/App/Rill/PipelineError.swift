public import RillCodec
public import RillReceive
public import RillSend
public import RillSession
public import RillThreads

/// Why a pipeline could not be created, or a stream could not be added.
public enum PipelineError: Error, Equatable, Sendable {
    /// An encoder, a decoder or the layer plan rejected its settings.
    case codec(CodecError)
    /// A stream rejected its settings.
    case stream(SendError)
    /// The sender's choice of SSRC or payload type cannot be received.
    case receive(ReceiveError)
    /// The session does not accept the stream, or has ended by an error of Rill's.
    case session(SessionError)
    /// The system started no thread for it.
    case thread(ThreadError)
}

extension PipelineError {
    /// Wraps an error that a session threw for a stream.
    init(_ error: SessionError) {
        switch error {
        case .send(let error): self = .stream(error)
        case .receive(let error): self = .receive(error)
        case .sourceInUse, .tooManyStreams, .internalError: self = .session(error)
        }
    }
}

extension PipelineError: CustomStringConvertible {
    /// The wrapped error's own description, for a log or a person.
    public var description: String {
        switch self {
        case .codec(let error): error.description
        case .stream(let error): "\(error)"
        case .receive(let error): error.description
        case .session(let error): error.description
        case .thread(let error): error.description
        }
    }
}
