/// RR: the reception report of a participant that sends no media (RFC 3550 §6.4.2).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    RC   |   PT=RR=201   |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     SSRC of packet sender                     |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                         report blocks                         |
/// |                             ....                              |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                  profile-specific extensions                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// ```swift
/// let blocks = CollectionOfOne(block)
/// ReceiverReport(ssrc: SSRC(7), blocks: WireList(blocks.span)).write(into: &output)
/// ```
///
/// A view that cannot outlive the bytes, or the blocks to be written.
public struct ReceiverReport: ~Escapable {
    /// The SSRC of the reporter.
    public let ssrc: SSRC
    /// The report blocks, one per received source: at most 31.
    public let blocks: WireList<ReportBlock>
    /// The profile-specific extension after the blocks, unparsed (RFC 3550 §6.4.3): whole words.
    public let profileExtension: Span<UInt8>

    /// A report with these fields, to be written.
    ///
    /// Traps if there are more than 31 blocks or if the size of the extension is not a multiple of four bytes.
    @_lifetime(copy blocks, copy profileExtension)
    public init(
        ssrc: SSRC, blocks: WireList<ReportBlock> = WireList(), profileExtension: Span<UInt8> = Span()
    ) {
        RTCPPacket.checkReport(blocks: blocks.count, extensionByteCount: profileExtension.count)
        self.ssrc = ssrc
        self.blocks = blocks
        self.profileExtension = profileExtension
    }

    /// The size of the packet in bytes: 8, 24 per block, and the extension's size.
    public var byteCount: Int { 8 + blocks.byteCount + profileExtension.count }

    /// Parses the report.
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

    /// Appends the report. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(.receiverReport, count: blocks.count, byteCount: byteCount, into: &output)
        output.append(bigEndian: ssrc.rawValue)
        blocks.write(into: &output)
        output.append(copying: profileExtension)
    }
}
