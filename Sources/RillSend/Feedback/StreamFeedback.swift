public import RillCore
public import RillRTP

/// What RTCP had to say to one stream.
public enum StreamFeedback: Equatable, Sendable {
    /// Make one key frame, as soon as there is a picture for it.
    case keyFrameRequested
    /// A copy or a repetition of a request that was already passed on: nothing to do.
    case keyFrameRequestRepeated
    /// A receiver misses that many packets (generic NACK); so many of them were sent again. The others were sent again
    /// a moment ago, are no longer kept, or there was nowhere to send them.
    case packetsRequested(count: Int, retransmitted: Int)
    /// What a receiver has received.
    case reported(ReceptionReport)
    /// A packet, or the rest of the datagram, could not be read. What else the datagram said is passed on.
    case malformed(RTPError)
}

/// What a receiver reports of a stream (RFC 3550 §6.4.1), under the names of W3C `RTCRemoteInboundRtpStreamStats`.
public struct ReceptionReport: Codable, Equatable, Sendable {
    /// Who reports.
    public var reporter: SSRC
    /// The part of the packets since its previous report that was lost, 0 to 1.
    public var fractionLost: Double
    /// Packets expected less packets received since the beginning; duplicates can make it negative.
    public var packetsLost: Int
    /// Mean deviation of the packets' spacing.
    public var jitter: MediaDuration
    /// The highest sequence number received.
    public var highestSequenceNumber: SequenceNumber
    /// The time to the receiver and back; `nil` when it had no sender report yet.
    public var roundTripTime: MediaDuration?

    /// What `block` says when it arrives at `arrival`.
    init(_ block: ReportBlock, of reporter: SSRC, at arrival: NTPTimestamp) {
        self.reporter = reporter
        fractionLost = Double(block.fractionLost) / 256
        packetsLost = block.cumulativeLost
        jitter = MediaTime(ticks: Int64(block.jitter), rate: RTPTimestamp.videoClockRate) - .zero
        highestSequenceNumber = SequenceNumber(UInt16(truncatingIfNeeded: block.extendedHighestSequenceNumber))
        roundTripTime = block.roundTripTime(at: arrival).map { MediaDuration(nanoseconds: $0.nanoseconds) }
    }
}

extension ReceptionReport: CustomStringConvertible {
    /// What is not zero, by name: `reporter 0x1, packetsLost 2, jitter 1.250ms`.
    public var description: String { countedText(self) }
}
