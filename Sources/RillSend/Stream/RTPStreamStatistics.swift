public import RillCore

/// What one RTP stream has sent, and what it has heard of its receivers, since it began.
///
/// The names are those of W3C webrtc-stats wherever one exists; those that stand apart at the end are Rill's own.
public struct RTPStreamStatistics: Codable, Equatable, Sendable {
    // MARK: RTCSentRtpStreamStats, RTCOutboundRtpStreamStats

    /// RTP packets sent, those sent again and FEC packets included.
    public var packetsSent = 0
    /// Bytes of payload sent, payload descriptors included, RTP headers and padding not.
    public var bytesSent = 0
    /// Bytes of RTP headers and padding sent.
    public var headerBytesSent = 0
    /// Packets sent again, on a stream of their own or on this one.
    public var retransmittedPacketsSent = 0
    /// Bytes of payload sent again.
    public var retransmittedBytesSent = 0
    /// Frames sent.
    public var framesSent = 0
    /// FIR commands received, repetitions included.
    public var firCount = 0
    /// PLI requests received, copies included.
    public var pliCount = 0
    /// Generic NACKs received, each for any number of packets.
    public var nackCount = 0

    // MARK: RTCRemoteInboundRtpStreamStats: the newest report of a receiver

    /// Packets lost since the beginning; duplicates can make it negative. `nil` before the first report.
    public var packetsLost: Int?
    /// The part of the packets that was lost between the last two reports, 0 to 1.
    public var fractionLost: Double?
    /// Mean deviation of the packets' spacing.
    public var jitter: MediaDuration?
    /// The time to the receiver and back.
    public var roundTripTime: MediaDuration?
    /// Sum of all round-trip times.
    public var totalRoundTripTime = MediaDuration.zero
    /// How many round-trip times there were.
    public var roundTripTimeMeasurements = 0

    // MARK: RTCRemoteOutboundRtpStreamStats

    /// Sender reports written.
    public var reportsSent = 0

    // MARK: Rill's own

    /// Requests to send a packet again that were not granted, by reason.
    public var refusedRetransmissions = RefusedRetransmissions()
    /// FEC packets sent.
    public var fecPacketsSent = 0
    /// Bytes of payload of FEC packets sent.
    public var fecBytesSent = 0
    /// Key frames sent.
    public var keyFramesSent = 0
    /// Requests that were passed on to the encoder, each for one key frame.
    public var keyFrameRequestsHonored = 0
    /// RTCP packets, or rests of datagrams, that could not be read.
    public var malformedFeedback = 0

    /// Requests to send a packet again that were not granted.
    public struct RefusedRetransmissions: Codable, Equatable, Sendable {
        /// The packet was sent again a moment ago.
        public var tooSoon = 0
        /// Too much was sent again of late.
        public var overBudget = 0
        /// The packet is no longer kept.
        public var notKept = 0
        /// No packet of that number was ever sent.
        public var neverSent = 0
        /// The packet is an FEC packet.
        public var fec = 0

        /// None.
        public init() {}

        /// All of them.
        public var total: Int { tooSoon + overBudget + notKept + neverSent + fec }
    }

    /// Nothing sent, nothing heard.
    public init() {}

    mutating func note(_ report: ReceptionReport) {
        packetsLost = report.packetsLost
        fractionLost = report.fractionLost
        jitter = report.jitter
        guard let time = report.roundTripTime else { return }
        roundTripTime = time
        totalRoundTripTime += time
        roundTripTimeMeasurements += 1
    }
}

extension RTPStreamStatistics: CustomStringConvertible {
    /// What is not zero, by name: `packetsSent 310, framesSent 120, refusedRetransmissions (tooSoon 2)`.
    public var description: String { countedText(self) }
}
