public import RillCore

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
