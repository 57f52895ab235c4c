// RFC 3550 §6.4.1:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|    RC   |   PT=SR=200   |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                         SSRC of sender                        |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |              NTP timestamp, most significant word             |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |             NTP timestamp, least significant word             |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                         RTP timestamp                         |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                     sender's packet count                     |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                      sender's octet count                     |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                         report blocks                         |
//     |                             ....                              |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                  profile-specific extensions                  |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// SR: what a sender has sent, and at what time its media clock showed what (RFC 3550 §6.4.1).
///
/// A view: it lives no longer than the bytes, or than the blocks that it is to write.
public struct SenderReport: ~Escapable {
    /// The sender.
    public let ssrc: SSRC
    /// When the report was made, by the sender's wall clock.
    public let ntpTimestamp: NTPTimestamp
    /// The same instant by the media clock of its packets.
    public let rtpTimestamp: RTPTimestamp
    /// Packets sent since the beginning, modulo 2^32.
    public let packetCount: UInt32
    /// Bytes of payload sent since the beginning, without headers and padding, modulo 2^32.
    public let octetCount: UInt32
    /// What the sender itself receives of others: at most 31 blocks.
    public let blocks: WireList<ReportBlock>
    /// What the profile adds behind the blocks, not taken apart (RFC 3550 §6.4.3): whole words.
    public let profileExtension: Span<UInt8>

    /// A report of one who receives nothing, to be written.
    @_lifetime(immortal)
    public init(
        ssrc: SSRC, ntpTimestamp: NTPTimestamp, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32
    ) {
        self.ssrc = ssrc
        self.ntpTimestamp = ntpTimestamp
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        blocks = WireList()
        profileExtension = Span()
    }

    /// A report of these fields, to be written.
    ///
    /// More than 31 blocks, and an extension that is no multiple of four bytes, are the programmer's mistake.
    @_lifetime(copy blocks, copy profileExtension)
    public init(
        ssrc: SSRC, ntpTimestamp: NTPTimestamp, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32,
        blocks: WireList<ReportBlock>, profileExtension: Span<UInt8> = Span()
    ) {
        RTCPPacket.checkReport(blocks: blocks.count, extensionByteCount: profileExtension.count)
        self.ssrc = ssrc
        self.ntpTimestamp = ntpTimestamp
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        self.blocks = blocks
        self.profileExtension = profileExtension
    }

    /// Bytes on the wire: 28, 24 a block, and the extension's.
    public var byteCount: Int { 28 + blocks.byteCount + profileExtension.count }

    /// Reads the report.
    ///
    /// - Throws: `unexpectedPacketType`, `truncated` or `invalidCount`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.senderReport)
        var reader = ByteReader(packet.body)
        ssrc = SSRC(try reader.uint32())
        ntpTimestamp = NTPTimestamp(seconds: try reader.uint32(), fraction: try reader.uint32())
        rtpTimestamp = RTPTimestamp(try reader.uint32())
        packetCount = try reader.uint32()
        octetCount = try reader.uint32()
        blocks = try reader.list(count: packet.count)
        profileExtension = packet.body.extracting(reader.position...)
    }

    /// Appends the report. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(.senderReport, count: blocks.count, byteCount: byteCount, into: &output)
        output.append(bigEndian: ssrc.rawValue)
        output.append(bigEndian: ntpTimestamp.seconds)
        output.append(bigEndian: ntpTimestamp.fraction)
        output.append(bigEndian: rtpTimestamp.rawValue)
        output.append(bigEndian: packetCount)
        output.append(bigEndian: octetCount)
        blocks.write(into: &output)
        output.append(copying: profileExtension)
    }
}
