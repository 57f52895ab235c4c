public import RillCore

/// The statistics of a pair of candidates, as `RTCIceCandidatePairStats` of W3C webrtc-stats has them.
public struct ICEPairStatistics: Equatable, Sendable {
    /// The socket and the remote address.
    public var path: ICEPath
    /// The local candidate.
    public var local: ICECandidate
    /// The remote candidate.
    public var remote: ICECandidate
    /// The priority of the pair.
    public var priority: UInt64
    /// The state of its check.
    public var state: ICEPairState
    /// Whether the controlling side nominated it.
    public var isNominated: Bool
    /// Whether data goes there.
    public var isSelected: Bool
    /// What was counted.
    public var counts: ICEPairCounts
}

/// What is counted for each pair. Messages of STUN are not among its packets and bytes.
public struct ICEPairCounts: Equatable, Sendable {
    /// Connectivity checks sent, without retransmissions.
    public var requestsSent = 0
    /// Retransmissions of connectivity checks.
    public var retransmissionsSent = 0
    /// Requests received with the right integrity, retransmissions included.
    public var requestsReceived = 0
    /// Responses sent, of either kind.
    public var responsesSent = 0
    /// Responses received with the right integrity, of either kind.
    public var responsesReceived = 0
    /// Consent checks sent (RFC 7675).
    public var consentRequestsSent = 0
    /// Datagrams sent that are not STUN: what ``ICEAgent/noteSent(byteCount:on:at:)`` was told.
    public var packetsSent = 0
    /// Their bytes.
    public var bytesSent = 0
    /// When the last one was sent.
    public var lastPacketSentTime: MediaTime?
    /// Datagrams received that are not STUN.
    public var packetsReceived = 0
    /// Their bytes.
    public var bytesReceived = 0
    /// When the last one was received.
    public var lastPacketReceivedTime: MediaTime?
    /// The latest round trip of a check or consent check that was not retransmitted.
    public var currentRoundTripTime: MediaDuration?
    /// The sum of all such round trips.
    public var totalRoundTripTime = MediaDuration.zero
    /// How many there were.
    public var roundTripTimeMeasurements = 0

    mutating func noteRoundTrip(_ duration: MediaDuration) {
        currentRoundTripTime = duration
        totalRoundTripTime += duration
        roundTripTimeMeasurements += 1
    }
}
