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
