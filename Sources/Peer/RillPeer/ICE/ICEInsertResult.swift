public import RillCore

/// What became of a datagram.
public enum ICEInsertResult: Equatable, Sendable {
    /// It is not STUN, and comes from an address that has answered a check: DTLS, RTP or RTCP.
    case data
    /// It is not STUN, and comes from an address that has sent a check, and not answered ours yet.
    case early
    /// A request with the right integrity: it is answered with the next poll. `nominates` if it has USE-CANDIDATE.
    case answered(nominates: Bool)
    /// A request with the right integrity that is refused with that code.
    case refused(STUNErrorCode)
    /// A response to one of our requests. The round trip is `nil` if the request was retransmitted, so that it is not
    /// known which copy was answered.
    case confirmed(roundTripTime: MediaDuration?)
    /// The other side refused one of our requests with that code.
    case declined(STUNErrorCode)
    /// A binding indication, which only keeps NATs' mappings alive.
    case keepalive
    /// It was dropped.
    case dropped(ICEDropReason)
}

/// Why a datagram was dropped.
///
/// Requests that fail authentication are dropped without an answer. RFC 8489 §9.1.3 has errors 400 and 401 for them,
/// but whoever forges source addresses would use us to send these to others, and would learn which fragments exist. A
/// peer of ICE knows the credentials from signaling, and repeats a check that came too early.
public enum ICEDropReason: Equatable, Sendable {
    /// It is not STUN, and its address has not answered a check.
    case unvalidatedAddress
    /// A copy of a request that came from another address before.
    case replayed
    /// It looks like STUN, but is malformed.
    case malformed(STUNError)
    /// A method other than binding.
    case unsupportedMethod(UInt16)
    /// FINGERPRINT does not match.
    case wrongFingerprint
    /// USERNAME or the integrity is missing.
    case unauthenticated
    /// USERNAME is not that of this agent and its peer.
    case wrongUsername
    /// The integrity is wrong.
    case wrongIntegrity
    /// A response to no request that is waiting for one.
    case unknownTransaction
    /// A response from another address than that of the request (RFC 8445 §7.2.5.2.1).
    case asymmetric
    /// The socket belongs to no local candidate.
    case unknownSocket(Int)
    /// The peer has more addresses than are kept.
    case tooManyPairs(limit: Int)
    /// The agent has failed, and must be restarted.
    case failed
}
