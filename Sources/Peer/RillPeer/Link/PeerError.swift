public import RillCore
public import RillRTP
public import RillSecurity
public import RillSession

/// Why a connection failed, or cannot be made.
public enum PeerError: Error, Equatable, Sendable {
    /// Offer and answer: a description that cannot be used, or at the wrong time.
    case negotiation(NegotiationError)
    /// ICE: bad credentials, too many candidates.
    case ice(ICEError)
    /// DTLS failed.
    case dtls(DTLSError)
    /// The keys of SRTP cannot be used.
    case security(SecurityError)
    /// A negotiated stream cannot be part of the session.
    case session(SessionError)
    /// A negotiated stream contradicts itself, or others.
    case stream(StreamDescriptionError)
    /// An answer rejects all that was offered, and why.
    case nothingAccepted([SectionRejection])
    /// No path was found among so many pairs of candidates, within that time.
    case noPath(pairCount: Int, after: MediaDuration)
    /// The peer was silent for so long that nothing may be sent any more (RFC 7675).
    case consentLost(after: MediaDuration)
    /// The connection was not there in time: how far ICE and DTLS got.
    case timedOut(after: MediaDuration, ice: ICEState, dtls: DTLSState)
    /// The connection is closed.
    case closed
    /// So many polls of ICE, DTLS or the connection did nothing about what was due: an error of Rill's, to be reported.
    /// One of the session is ``session(_:)``.
    case internalError(pollsWithoutProgress: Int)
}

extension PeerError {
    /// The polls without progress that led to it, if it is an error of Rill's.
    package var pollsWithoutProgress: Int? {
        switch self {
        case .internalError(let count), .session(.internalError(let count)): count
        default: nil
        }
    }
}

extension PeerError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .negotiation(let error): "\(error)"
        case .ice(let error): "\(error)"
        case .dtls(let error): "\(error)"
        case .security(let error): "\(error)"
        case .session(let error): "\(error)"
        case .stream(let error): "\(error)"
        case .nothingAccepted(let rejections):
            "nothing that was offered is accepted: \(rejections.map(\.description).joined(separator: "; "))"
        case .noPath(let count, let time):
            "no path to the peer: none of \(count) pairs of candidates works, tried for \(time)"
        case .consentLost(let time):
            "the peer was silent for \(time): restart ICE"
        case .timedOut(let time, let ice, let dtls):
            "not connected within \(time): ICE is \(ice), DTLS is \(dtls)"
        case .closed:
            "the connection is closed"
        case .internalError(let count):
            "internal error: \(count) polls without progress"
        }
    }
}
