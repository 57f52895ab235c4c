public import RillCore

/// Statistics of one RTP stream since its start: what it has sent, and what its receivers have reported.
///
/// The names are those of W3C webrtc-stats where they exist. Those in the last section are Rill's own.
public struct RTPStreamStatistics: Codable, Equatable, Sendable {
    // MARK: RTCSentRtpStreamStats, RTCOutboundRtpStreamStats

    /// RTP packets sent, including retransmissions and FEC packets.
    public var packetsSent = 0
    /// Payload bytes sent, including payload descriptors, without RTP headers and padding.
    public var bytesSent = 0
    /// Bytes of RTP headers and padding sent.
    public var headerBytesSent = 0
    /// Packets retransmitted, on a retransmission stream or on this one.
    public var retransmittedPacketsSent = 0
    /// Payload bytes retransmitted.
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

    /// Packets lost since the start; duplicates can make it negative. `nil` before the first report.
    public var packetsLost: Int?
    /// The fraction of packets lost between the last two reports, 0 to 1.
    public var fractionLost: Double?
    /// The interarrival jitter: the mean deviation of the packets' spacing.
    public var jitter: MediaDuration?
    /// The latest round-trip time to a receiver.
    public var roundTripTime: MediaDuration?
    /// The sum of all round-trip times.
    public var totalRoundTripTime = MediaDuration.zero
    /// The number of round-trip times.
    public var roundTripTimeMeasurements = 0

    // MARK: RTCRemoteOutboundRtpStreamStats

    /// Sender reports written.
    public var reportsSent = 0

    // MARK: Rill's own

    /// Retransmission requests that were refused, by reason.
    public var refusedRetransmissions = RefusedRetransmissions()
    /// FEC packets sent.
    public var fecPacketsSent = 0
    /// Payload bytes of FEC packets sent.
    public var fecBytesSent = 0
    /// Retransmissions that nobody requested, sent as probes of the available bitrate.
    public var paddingPacketsSent = 0
    /// Their payload bytes.
    public var paddingBytesSent = 0
    /// Key frames sent.
    public var keyFramesSent = 0
    /// Key frame requests that were passed on to the encoder, each for one key frame.
    public var keyFrameRequestsHonored = 0
    /// RTCP packets, or remainders of datagrams, that could not be parsed.
    public var malformedFeedback = 0

    /// Retransmission requests that were refused.
    public struct RefusedRetransmissions: Codable, Equatable, Sendable {
        /// The packet was retransmitted very recently.
        public var tooSoon = 0
        /// Too much was retransmitted recently.
        public var overBudget = 0
        /// The packet is no longer kept.
        public var notKept = 0
        /// The packet belongs to frames that were given up after an overload of the network.
        public var abandoned = 0
        /// No packet with that sequence number was ever sent.
        public var neverSent = 0
        /// The packet is an FEC packet.
        public var fec = 0

        /// No refused requests.
        public init() {}

        /// The number of all refused requests.
        public var total: Int { tooSoon + overBudget + notKept + abandoned + neverSent + fec }
    }

    /// Statistics of a stream that has not sent anything.
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
    /// The nonzero values by name: `packetsSent 310, framesSent 120, refusedRetransmissions (tooSoon 2)`.
    public var description: String { countedText(self) }
}
