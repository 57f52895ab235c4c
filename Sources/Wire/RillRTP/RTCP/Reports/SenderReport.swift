/// SR: a sender's packet and byte counts, and the relation of its media clock to wall clock time (RFC 3550 §6.4.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    RC   |   PT=SR=200   |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         SSRC of sender                        |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |              NTP timestamp, most significant word             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |             NTP timestamp, least significant word             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         RTP timestamp                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     sender's packet count                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      sender's octet count                     |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                         report blocks                         |
/// |                             ....                              |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                  profile-specific extensions                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// A view that cannot outlive the bytes, or the blocks to be written.
public struct SenderReport: ~Escapable {
    /// The SSRC of the sender.
    public let ssrc: SSRC
    /// The time of the report by the sender's wall clock.
    public let ntpTimestamp: NTPTimestamp
    /// The same instant by the media clock of the sender's packets.
    public let rtpTimestamp: RTPTimestamp
    /// The number of packets sent since the start of transmission, modulo 2^32.
    public let packetCount: UInt32
    /// The payload bytes sent since the start of transmission, without headers and padding, modulo 2^32.
    public let octetCount: UInt32
    /// The report blocks for what the sender receives: at most 31.
    public let blocks: WireList<ReportBlock>
    /// The profile-specific extension after the blocks, unparsed (RFC 3550 §6.4.3): whole words.
    public let profileExtension: Span<UInt8>

    /// A report of a sender that receives nothing, to be written.
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

    /// A report with these fields, to be written.
    ///
    /// Traps if there are more than 31 blocks or if the size of the extension is not a multiple of four bytes.
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

    /// The size of the packet in bytes: 28, 24 per block, and the extension's size.
    public var byteCount: Int { 28 + blocks.byteCount + profileExtension.count }

    /// Parses the report.
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

    /// Appends the report. Traps unless `output` has room for `byteCount` bytes.
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
