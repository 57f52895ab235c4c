/// The fixed part of an RTP packet's header (RFC 3550 §5.1).
///
/// Its P, X and CC fields are not fields of it: they say only that padding, an extension and contributing sources are
/// there, and follow from those, which are parts of ``RTPPacket``.
public struct RTPHeader: Equatable, Sendable, BitwiseCopyable {
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

    /// A header of these fields.
    @inlinable
    public init(
        marker: Bool, payloadType: PayloadType, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, ssrc: SSRC
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
    }

    /// Bytes of a header without contributing sources.
    @inlinable
    public static var fixedByteCount: Int { 12 }
}
