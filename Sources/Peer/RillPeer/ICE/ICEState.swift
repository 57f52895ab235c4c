public import RillCore

/// The state of an agent: that of W3C's `RTCIceTransportState`.
public enum ICEState: String, Hashable, Sendable {
    /// The remote credentials are not known, and no check has arrived.
    case new
    /// No path is known to work yet.
    case checking
    /// A path works, and none is nominated yet.
    case connected
    /// A path is nominated.
    case completed
    /// The path has been silent for ``ICESettings/disconnectedTimeout``. It may come back by itself.
    case disconnected
    /// No path works, or consent was lost. Only a restart helps.
    case failed
}

extension ICEState: CustomStringConvertible {
    /// The state as W3C writes it: `connected`.
    public var description: String { rawValue }
}

/// An event of an agent, in the order in which things happened.
public enum ICEEvent: Equatable, Sendable {
    /// The state changed.
    case stateChanged(from: ICEState, to: ICEState)
    /// Data goes to another path from now on. `from` is `nil` for the first one.
    case selectedPathChanged(from: ICEPath?, to: ICEPath)
    /// A check came from an address that no candidate announced (RFC 8445 §7.3.1.3).
    case peerReflexiveDiscovered(ICECandidate)
    /// Both agents had the same role, and this one gave way (RFC 8445 §7.3.1.1).
    case roleChanged(to: ICERole)
    /// So many polls did nothing about what was due: an error of Rill's, to be reported. The agent has failed.
    case internalError(pollsWithoutProgress: Int)
    /// Nothing authenticated arrived on the path for so long that nothing may be sent any more (RFC 7675 §5.1).
    case consentLost(on: ICEPath, after: MediaDuration)
    /// No pair of candidates works: how many were tried, for how long.
    case checksFailed(pairCount: Int, after: MediaDuration)
}

/// What ``ICEAgent/poll(at:into:)`` asks for.
public enum ICEAction: Equatable, Sendable {
    /// Send the datagram that was written.
    case transmit(on: ICEPath)
    /// Take note.
    case event(ICEEvent)
    /// Poll again at this time, or after the next insertion.
    case wait(until: MediaTime)
}

/// Which of two agents nominates the pair of candidates to use (RFC 8445 §6.1.1).
public enum ICERole: Hashable, Sendable {
    /// It nominates. The side that offers is controlling, unless only the other is a full implementation.
    case controlling
    /// It waits for a nomination.
    case controlled

    /// The role of the other agent.
    public var opposite: ICERole { self == .controlling ? .controlled : .controlling }
}

/// Times and limits of an ``ICEAgent``. The defaults are those of the RFCs, where they have any.
public struct ICESettings: Hashable, Sendable {
    /// The seed of tiebreaker, transaction identifiers and jitter. Draw it for each agent.
    ///
    /// Nothing secret follows from it. A response counts only with the integrity of the peer's password, so it does not
    /// help to guess an identifier.
    public var seed: UInt64
    /// Ta: the time from one check to the next. 50 ms (RFC 8445 §14.2).
    public var checkInterval = MediaDuration.milliseconds(50)
    /// The least time to the first retransmission, which doubles with each. 500 ms (RFC 8445 §14.3).
    public var retransmissionTimeout = MediaDuration.milliseconds(500)
    /// How often a request is sent at most. 7 (RFC 8489 §6.2.1: Rc). The last one is awaited for 16 timeouts (Rm).
    public var maximumTransmissionCount = 7
    /// How long a controlling agent waits, after the first pair worked, for one of higher priority. 100 ms.
    public var nominationDelay = MediaDuration.milliseconds(100)
    /// How long an agent tries to connect before it may fail, even if all checks failed before: the peer may still
    /// find a path. 39.5 s (RFC 8863 §4).
    public var connectTimeout = MediaDuration.milliseconds(39_500)
    /// The time from one consent check to the next; each is 80 % to 120 % of it. 5 s (RFC 7675 §5.1).
    public var consentInterval = MediaDuration.seconds(5)
    /// The silence after which nothing may be sent. 30 s (RFC 7675 §5.1).
    public var consentTimeout = MediaDuration.seconds(30)
    /// The silence after which the state is `disconnected`. 13 s: longer than two of the longest intervals of consent
    /// checks, so that one lost check is not noticed.
    public var disconnectedTimeout = MediaDuration.seconds(13)
    /// The most pairs of candidates. 64 (RFC 8445 §6.1.2.5 suggests up to 100).
    public var maximumPairCount = 64
    /// The most addresses at once that were learned from checks. 16. A further one takes the place of the one that has
    /// been silent for longest.
    public var maximumReflexiveCount = 16

    /// Creates the default settings.
    ///
    /// - Parameter seed: the seed; draw it for each agent.
    public init(seed: UInt64) { self.seed = seed }
}

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
/// but an attacker who forges source addresses could make us send these to others, and learn which fragments exist. A
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

/// What an ``ICEAgent`` counts, besides what it counts of each pair.
public struct ICEAgentCounts: Codable, Hashable, Sendable {
    /// Copies of requests from other addresses, which were dropped.
    public var requestsReplayed = 0
    /// Datagrams, not of STUN, that were dropped because their address has not answered a check.
    public var datagramsUnvalidated = 0
    /// Datagrams that were not sent, because their address has not answered, and would have got more than three times
    /// the bytes that came from it.
    public var datagramsWithheld = 0
    /// Pairs of candidates that made room for others.
    public var pairsEvicted = 0
    /// Remote candidates without a place: there were as many, of higher priorities.
    public var candidatesIgnored = 0

    /// Creates counters of 0.
    public init() {}

    /// Adds the counts of another agent.
    mutating func add(_ other: ICEAgentCounts) {
        requestsReplayed += other.requestsReplayed
        datagramsUnvalidated += other.datagramsUnvalidated
        datagramsWithheld += other.datagramsWithheld
        pairsEvicted += other.pairsEvicted
        candidatesIgnored += other.candidatesIgnored
    }
}
