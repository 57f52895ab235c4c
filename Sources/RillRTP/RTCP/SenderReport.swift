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
public struct SenderReport: Equatable, Sendable {
    /// The sender.
    public var ssrc: SSRC
    /// When the report was made, by the sender's wall clock.
    public var ntpTimestamp: NTPTimestamp
    /// The same instant by the media clock of its packets.
    public var rtpTimestamp: RTPTimestamp
    /// Packets sent since the beginning, modulo 2^32.
    public var packetCount: UInt32
    /// Bytes of payload sent since the beginning, without headers and padding, modulo 2^32.
    public var octetCount: UInt32
    /// What the sender itself receives of others.
    public var blocks: ReportBlocks

    /// A report of these fields.
    public init(
        ssrc: SSRC, ntpTimestamp: NTPTimestamp, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32,
        blocks: ReportBlocks = ReportBlocks()
    ) {
        self.ssrc = ssrc
        self.ntpTimestamp = ntpTimestamp
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        self.blocks = blocks
    }

    /// Bytes on the wire: 28, and 24 a block.
    public var byteCount: Int { 28 + blocks.byteCount }

    /// Reads the report; profile-specific extensions behind the blocks are passed over.
    ///
    /// - Throws: `unexpectedPacketType`, `truncated` or `invalidCount`.
    public static func parse(_ packet: RTCPPacket) throws(RTPError) -> SenderReport {
        try packet.require(.senderReport)
        var reader = ByteReader(packet.body)
        return SenderReport(
            ssrc: SSRC(try reader.uint32()),
            ntpTimestamp: NTPTimestamp(seconds: try reader.uint32(), fraction: try reader.uint32()),
            rtpTimestamp: RTPTimestamp(try reader.uint32()), packetCount: try reader.uint32(),
            octetCount: try reader.uint32(), blocks: try ReportBlocks.parse(count: packet.count, &reader))
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
    }
}
