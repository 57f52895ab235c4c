public import RillCore
public import RillRTP

/// RTCP feedback for one stream.
public enum StreamFeedback: Equatable, Sendable {
    /// A receiver needs a key frame: encode the next picture as one.
    case keyFrameRequested
    /// A copy or a repetition of a request that was already reported; no action is needed.
    case keyFrameRequestRepeated
    /// A receiver reports `count` missing packets (generic NACK), of which `retransmitted` were retransmitted. The
    /// others were retransmitted too recently, are no longer kept, or had no sink to be sent to.
    case packetsRequested(count: Int, retransmitted: Int)
    /// A receiver's reception report.
    case reported(ReceptionReport)
    /// A packet, or the rest of the datagram, could not be parsed. The other feedback of the datagram is still
    /// reported.
    case malformed(RTPError)
}

/// A receiver's report on a stream (RFC 3550 §6.4.1), with the names of W3C `RTCRemoteInboundRtpStreamStats`.
public struct ReceptionReport: Codable, Equatable, Sendable {
    /// The SSRC of the receiver.
    public var reporter: SSRC
    /// The fraction of packets lost since its previous report, 0 to 1.
    public var fractionLost: Double
    /// The packets expected minus the packets received since the start; duplicates can make it negative.
    public var packetsLost: Int
    /// The interarrival jitter: the mean deviation of the packets' spacing.
    public var jitter: MediaDuration
    /// The highest sequence number received.
    public var highestSequenceNumber: SequenceNumber
    /// The round-trip time to the receiver; `nil` if it had no sender report yet.
    public var roundTripTime: MediaDuration?

    /// The contents of a `block` on a stream of that clock, which arrived at `arrival`.
    init(_ block: ReportBlock, of reporter: SSRC, _ clockRate: ClockRate, at arrival: NTPTimestamp) {
        self.reporter = reporter
        fractionLost = Double(block.fractionLost) / 256
        packetsLost = block.cumulativeLost
        jitter = clockRate.duration(of: Int64(block.jitter))
        highestSequenceNumber = SequenceNumber(UInt16(truncatingIfNeeded: block.extendedHighestSequenceNumber))
        roundTripTime = block.roundTripTime(at: arrival).map { MediaDuration(nanoseconds: $0.nanoseconds) }
    }
}

extension ReceptionReport: CustomStringConvertible {
    /// The nonzero properties by name: `reporter 0x1, packetsLost 2, jitter 1.250ms`.
    public var description: String { countedText(self) }
}
