import RillCore

/// A local and a remote candidate, and what is known of the path between them (RFC 8445 §6.1.2).
struct ICEPair {
    /// Never used again.
    let id: Int
    let path: ICEPath
    let generation: ICEGeneration
    var local: ICECandidate
    var remote: ICECandidate
    var priority: UInt64 = 0
    var state: ICEPairState
    var isNominated = false
    /// Whether a check of ours was answered from the path: only then data goes there, and is taken from there.
    var isValidated = false
    /// Whether a request with the right integrity came from the path. It may be a copy that somebody else sent.
    var isHeard = false
    /// Whether the controlling side nominated the pair, and our own check has not been answered since (RFC 8445
    /// §7.3.1.5).
    var isNominatedByPeer = false
    /// What may be sent before the path is validated.
    var budget = ICEPathBudget()
    /// The request that waits for a response.
    var check: ICECheck?
    /// When the last authenticated message arrived.
    var lastHeard: MediaTime
    var counts = ICEPairCounts()

    /// Checks of pairs with equal foundations are likely to have equal outcomes (RFC 8445 §6.1.2.6).
    func hasFoundation(of other: ICEPair) -> Bool {
        local.foundation == other.local.foundation && remote.foundation == other.remote.foundation
    }

    /// RFC 8445 §6.1.2.3.
    static func priority(_ local: ICECandidate, _ remote: ICECandidate, _ role: ICERole) -> UInt64 {
        let controlling = UInt64(role == .controlling ? local.priority : remote.priority)
        let controlled = UInt64(role == .controlling ? remote.priority : local.priority)
        return min(controlling, controlled) << 32 &+ 2 &* max(controlling, controlled)
            &+ (controlling > controlled ? 1 : 0)
    }
}

/// The state of a pair's check (RFC 8445 §6.1.2.6): that of W3C's `RTCStatsIceCandidatePairState`.
public enum ICEPairState: String, Hashable, Sendable {
    /// It waits until the check of a pair with the same foundation is done.
    case frozen
    /// It is checked as soon as it is its turn.
    case waiting
    /// A request waits for its response.
    case inProgress = "in-progress"
    /// A check succeeded.
    case succeeded
    /// The check failed.
    case failed
}

/// A request that waits for its response, and its retransmissions (RFC 8489 §6.2.1).
struct ICECheck {
    let id: STUNTransactionID
    /// The request before, which was given up for this one. A response to it counts too.
    let former: STUNTransactionID?
    let role: ICERole
    let isNomination: Bool
    private(set) var transmissionCount = 0
    private(set) var firstTime = MediaTime.zero
    private(set) var lastTime = MediaTime.zero
    /// When to retransmit, or to give up.
    private(set) var deadline = MediaTime.zero
    private let timeout: MediaDuration

    init(
        _ id: STUNTransactionID, instead former: STUNTransactionID?, role: ICERole, isNomination: Bool,
        timeout: MediaDuration
    ) {
        self.id = id
        self.former = former
        self.role = role
        self.isNomination = isNomination
        self.timeout = timeout
    }

    /// Notes a transmission, of which there are at most `limit`. With RFC 8445's 500 ms they are at 0, 0.5, 1.5, 3.5,
    /// 7.5, 15.5 and 31.5 s, and the check fails after 39.5 s.
    mutating func noteTransmission(limit: Int, at now: MediaTime) {
        if transmissionCount == 0 { firstTime = now }
        lastTime = now
        transmissionCount += 1
        // Rm of RFC 8489 §6.2.1.
        let factor = transmissionCount >= limit ? 16 : 1 << min(transmissionCount - 1, 16)
        deadline = now + timeout * factor
    }

    /// Retransmits at once: the other side was heard.
    mutating func hasten(at now: MediaTime) { deadline = min(deadline, now) }
}
