public import RillRTP
public import RillReceive
public import RillSend

/// Why a stream cannot be part of a session.
public enum SessionError: Error, Equatable, Sendable {
    /// One of its sources is that of another stream of the session.
    case sourceInUse(SSRC)
    /// A stream that is received has contradictory numbers.
    case receive(ReceiveError)
    /// A setting of a stream that is sent lies outside of what it may be.
    case send(SendError)
    /// No more streams fit: so many are there in that direction.
    case tooManyStreams(limit: Int)
}

extension SessionError: CustomStringConvertible {
    /// One sentence, for a log or a person.
    public var description: String {
        switch self {
        case .sourceInUse(let ssrc): "the source \(ssrc) belongs to a stream of this session already"
        case .receive(let error): "\(error)"
        case .send(let error): "\(error)"
        case .tooManyStreams(let limit): "a session has at most \(limit) streams in each direction"
        }
    }
}
