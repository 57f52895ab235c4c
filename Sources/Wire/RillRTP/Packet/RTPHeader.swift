/// The fixed header of an RTP packet (RFC 3550 §5.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|X|  CC   |M|     PT      |       sequence number         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                           timestamp                           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           synchronization source (SSRC) identifier            |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |            contributing source (CSRC) identifiers             |
/// |                             ....                              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The P, X and CC fields have no properties here. They only announce padding, an extension and contributing sources,
/// which are properties of ``RTPPacket``.
public struct RTPHeader: Equatable, Sendable, BitwiseCopyable {
    /// M: for video, whether this is the last packet of a frame.
    public var marker: Bool
    /// PT: identifies the payload format.
    public var payloadType: PayloadType
    /// The sequence number; it increments by one per packet of this source.
    public var sequenceNumber: SequenceNumber
    /// The sampling time of the payload, in ticks of the media clock.
    public var timestamp: RTPTimestamp
    /// The synchronization source.
    public var ssrc: SSRC

    /// A header with these fields.
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

    /// The size of a header without contributing sources in bytes.
    @inlinable
    public static var fixedByteCount: Int { 12 }
}
