// RFC 3550 §6.4.2:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|    RC   |   PT=RR=201   |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                     SSRC of packet sender                     |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                         report blocks                         |
//     |                             ....                              |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                  profile-specific extensions                  |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// RR: what one who sends nothing receives of others (RFC 3550 §6.4.2).
public struct ReceiverReport: Equatable, Sendable {
    /// Who reports.
    public var ssrc: SSRC
    /// What it says of each source that it hears.
    public var blocks: ReportBlocks

    /// A report of these fields.
    public init(ssrc: SSRC, blocks: ReportBlocks = ReportBlocks()) {
        self.ssrc = ssrc
        self.blocks = blocks
    }

    /// Bytes on the wire: 8, and 24 a block.
    public var byteCount: Int { 8 + blocks.byteCount }

    /// Reads the report; profile-specific extensions behind the blocks are passed over.
    ///
    /// - Throws: `unexpectedPacketType`, `truncated` or `invalidCount`.
    public static func parse(_ packet: RTCPPacket) throws(RTPError) -> ReceiverReport {
        try packet.require(.receiverReport)
        var reader = ByteReader(packet.body)
        return ReceiverReport(
            ssrc: SSRC(try reader.uint32()), blocks: try ReportBlocks.parse(count: packet.count, &reader))
    }

    /// Appends the report. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(.receiverReport, count: blocks.count, byteCount: byteCount, into: &output)
        output.append(bigEndian: ssrc.rawValue)
        blocks.write(into: &output)
    }
}
