public import RillRTP
public import RillReceive
public import RillSend

/// Why a stream cannot be part of a session, or why a session has ended.
public enum SessionError: Error, Equatable, Sendable {
    /// One of its SSRCs belongs to another stream of the session.
    case sourceInUse(SSRC)
    /// A received stream has contradictory SSRCs or payload types.
    case receive(ReceiveError)
    /// A setting of a sent stream is out of range.
    case send(SendError)
    /// The session already has `limit` streams in that direction.
    case tooManyStreams(limit: Int)
    /// A poll changed nothing so many times: an error of Rill's, to be reported. The session has ended.
    case internalError(pollsWithoutProgress: Int)
}

extension SessionError: CustomStringConvertible {
    /// One sentence, for a log or a person.
    public var description: String {
        switch self {
        case .sourceInUse(let ssrc): "the SSRC \(ssrc) already belongs to a stream of this session"
        case .receive(let error): "\(error)"
        case .send(let error): "\(error)"
        case .tooManyStreams(let limit): "a session has at most \(limit) streams in each direction"
        case .internalError(let count): "internal error: \(count) polls without progress"
        }
    }
}
