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
///
///     let blocks = CollectionOfOne(count.report())
///     ReceiverReport(ssrc: SSRC(7), blocks: WireList(blocks.span)).write(into: &output)
///
/// A view: it lives no longer than the bytes, or than the blocks that it is to write.
public struct ReceiverReport: ~Escapable {
    /// Who reports.
    public let ssrc: SSRC
    /// What it says of each source that it hears: at most 31 blocks.
    public let blocks: WireList<ReportBlock>
    /// What the profile adds behind the blocks, not taken apart (RFC 3550 §6.4.3): whole words.
    public let profileExtension: Span<UInt8>

    /// A report of these fields, to be written.
    ///
    /// More than 31 blocks, and an extension that is no multiple of four bytes, are the programmer's mistake.
    @_lifetime(copy blocks, copy profileExtension)
    public init(
        ssrc: SSRC, blocks: WireList<ReportBlock> = WireList(), profileExtension: Span<UInt8> = Span()
    ) {
        RTCPPacket.checkReport(blocks: blocks.count, extensionByteCount: profileExtension.count)
        self.ssrc = ssrc
        self.blocks = blocks
        self.profileExtension = profileExtension
    }

    /// Bytes on the wire: 8, 24 a block, and the extension's.
    public var byteCount: Int { 8 + blocks.byteCount + profileExtension.count }

    /// Reads the report.
    ///
    /// - Throws: `unexpectedPacketType`, `truncated` or `invalidCount`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.receiverReport)
        var reader = ByteReader(packet.body)
        ssrc = SSRC(try reader.uint32())
        blocks = try reader.list(count: packet.count)
        profileExtension = packet.body.extracting(reader.position...)
    }

    /// Appends the report. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(.receiverReport, count: blocks.count, byteCount: byteCount, into: &output)
        output.append(bigEndian: ssrc.rawValue)
        blocks.write(into: &output)
        output.append(copying: profileExtension)
    }
}
