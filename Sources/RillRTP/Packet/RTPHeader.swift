/// The header of an RTP packet (RFC 3550 §5.1).
///
/// Its P and X bits are not fields of it: they say only that padding and an extension are there, and follow from those.
public struct RTPHeader: Equatable, Sendable {
    /// For video: the last packet of a frame.
    public var marker: Bool
    /// Which payload format follows.
    public var payloadType: PayloadType
    /// Counts the packets of this source.
    public var sequenceNumber: SequenceNumber
    /// When the payload was sampled, in ticks of the media clock.
    public var timestamp: RTPTimestamp
    /// The source.
    public var ssrc: SSRC
    /// The sources that a mixer made this packet from.
    public var csrcs: ContributingSources

    /// A header of these fields.
    public init(
        marker: Bool, payloadType: PayloadType, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, ssrc: SSRC,
        csrcs: ContributingSources = ContributingSources()
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        self.csrcs = csrcs
    }

    /// Bytes of a header without contributing sources.
    public static let fixedByteCount = 12
}
