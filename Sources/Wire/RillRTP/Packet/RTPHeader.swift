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

extension RTPHeader {
    @inlinable static var version: UInt8 { 2 }
    @inlinable static var paddingBit: UInt8 { 0x20 }
    @inlinable static var extensionBit: UInt8 { 0x10 }
    @inlinable static var sourceCountMask: UInt8 { 0x0F }
    @inlinable static var markerBit: UInt8 { 0x80 }
    @inlinable static var payloadTypeMask: UInt8 { 0x7F }
    /// The maximum number of contributing sources in the four bits of CC.
    @inlinable static var maximumSourceCount: Int { 15 }

    /// The size of the fixed header on the wire: 12 bytes, without contributing sources, extension and padding.
    public var byteCount: Int { RTPHeader.fixedByteCount }

    /// Reads the fixed header at the start of a packet.
    ///
    /// - Throws: `truncated` or `unsupportedVersion`.
    public init(parsing packet: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(packet)
        let first = try reader.uint8()
        try self.init(first, &reader)
    }

    /// Reads the fields after the `first` byte.
    @inlinable @inline(__always)  // Hot path: runs for every packet.
    init(_ first: UInt8, _ reader: inout ByteReader) throws(RTPError) {
        guard first >> 6 == RTPHeader.version else { throw .unsupportedVersion(first >> 6) }
        try reader.require(RTPHeader.fixedByteCount - 1)
        let second = try reader.uint8()
        self.init(
            marker: second & RTPHeader.markerBit != 0,
            payloadType: PayloadType(second & RTPHeader.payloadTypeMask),
            sequenceNumber: SequenceNumber(try reader.uint16()), timestamp: RTPTimestamp(try reader.uint32()),
            ssrc: SSRC(try reader.uint32()))
    }

    /// Appends the header. The caller appends the parts that it announces.
    ///
    /// - Parameters:
    ///   - output: where to append. Traps unless there is room for `byteCount` bytes.
    ///   - sourceCount: CC: the number of contributing sources that follow the header. Traps unless it is 0 to 15.
    ///   - hasExtension: X: whether an ``RTPHeaderExtension`` follows the contributing sources.
    ///   - hasPadding: P: whether the packet ends with padding.
    @_lifetime(output: copy output)
    public func write(
        into output: inout OutputSpan<UInt8>, sourceCount: Int = 0, hasExtension: Bool = false, hasPadding: Bool = false
    ) {
        precondition(
            (0...RTPHeader.maximumSourceCount).contains(sourceCount), "\(sourceCount) contributing sources: 15 fit")
        var first = RTPHeader.version << 6 | UInt8(truncatingIfNeeded: sourceCount)
        if hasPadding { first |= RTPHeader.paddingBit }
        if hasExtension { first |= RTPHeader.extensionBit }
        output.append(first)
        output.append(payloadType.rawValue | (marker ? RTPHeader.markerBit : 0))
        output.append(bigEndian: sequenceNumber.rawValue)
        output.append(bigEndian: timestamp.rawValue)
        output.append(bigEndian: ssrc.rawValue)
    }
}
