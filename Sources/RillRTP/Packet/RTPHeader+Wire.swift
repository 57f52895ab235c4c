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
    static let version: UInt8 = 2
    static let paddingBit: UInt8 = 0x20
    static let extensionBit: UInt8 = 0x10
    static let sourceCountMask: UInt8 = 0x0F
    static let markerBit: UInt8 = 0x80
    static let payloadTypeMask: UInt8 = 0x7F

    /// Bytes on the wire, contributing sources included, extension and padding not: 12 to 72.
    public var byteCount: Int { RTPHeader.fixedByteCount + 4 * csrcs.count }

    /// Reads the header at the front of a packet; `byteCount` then says where the rest begins.
    ///
    /// - Throws: `truncated` or `unsupportedVersion`.
    @inline(__always)  // RTPPacket takes it in, which saves a copy of 88 bytes a packet.
    public static func parse(_ packet: Span<UInt8>) throws(RTPError) -> RTPHeader {
        var reader = ByteReader(packet)
        let first = try reader.uint8()
        guard first >> 6 == version else { throw .unsupportedVersion(first >> 6) }
        try reader.require(fixedByteCount - 1)
        let second = try reader.uint8()
        var header = RTPHeader(
            marker: second & markerBit != 0, payloadType: PayloadType(second & payloadTypeMask),
            sequenceNumber: SequenceNumber(try reader.uint16()), timestamp: RTPTimestamp(try reader.uint32()),
            ssrc: SSRC(try reader.uint32()))
        for _ in 0..<(first & sourceCountMask) { header.csrcs.append(SSRC(try reader.uint32())) }
        return header
    }

    /// Appends the header; the caller appends what it announces.
    ///
    /// - Parameters:
    ///   - output: has room for `byteCount` bytes; too little is the programmer's mistake.
    ///   - hasExtension: X: an ``RTPHeaderExtension`` follows at once.
    ///   - hasPadding: P: the packet ends with padding.
    @_lifetime(output: copy output)
    public func write(
        into output: inout OutputSpan<UInt8>, hasExtension: Bool = false, hasPadding: Bool = false
    ) {
        var first = RTPHeader.version << 6 | UInt8(csrcs.count)
        if hasPadding { first |= RTPHeader.paddingBit }
        if hasExtension { first |= RTPHeader.extensionBit }
        output.append(first)
        output.append(payloadType.rawValue | (marker ? RTPHeader.markerBit : 0))
        output.append(bigEndian: sequenceNumber.rawValue)
        output.append(bigEndian: timestamp.rawValue)
        output.append(bigEndian: ssrc.rawValue)
        for index in 0..<csrcs.count { output.append(bigEndian: csrcs[index].rawValue) }
    }
}
