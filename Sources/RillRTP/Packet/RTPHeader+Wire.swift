// RFC 3550 §5.1:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|X|  CC   |M|     PT      |       sequence number         |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                           timestamp                           |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |           synchronization source (SSRC) identifier            |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |            contributing source (CSRC) identifiers             |
//     |                             ....                              |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

extension RTPHeader {
    @inlinable static var version: UInt8 { 2 }
    @inlinable static var paddingBit: UInt8 { 0x20 }
    @inlinable static var extensionBit: UInt8 { 0x10 }
    @inlinable static var sourceCountMask: UInt8 { 0x0F }
    @inlinable static var markerBit: UInt8 { 0x80 }
    @inlinable static var payloadTypeMask: UInt8 { 0x7F }
    /// The most contributing sources that the four bits of CC can say.
    @inlinable static var maximumSourceCount: Int { 15 }

    /// Bytes on the wire, contributing sources, extension and padding left out: 12.
    public var byteCount: Int { RTPHeader.fixedByteCount }

    /// Reads the fixed part of the header at the front of a packet.
    ///
    /// - Throws: `truncated` or `unsupportedVersion`.
    public init(parsing packet: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(packet)
        let first = try reader.uint8()
        try self.init(first, &reader)
    }

    /// Reads what follows the `first` byte.
    @inlinable @inline(__always)  // On the way of every packet.
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

    /// Appends the header; the caller appends what it announces.
    ///
    /// - Parameters:
    ///   - output: has room for `byteCount` bytes; too little is the programmer's mistake.
    ///   - sourceCount: CC: that many contributing sources follow at once, 0 to 15.
    ///   - hasExtension: X: behind them follows an ``RTPHeaderExtension``.
    ///   - hasPadding: P: the packet ends with padding.
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
