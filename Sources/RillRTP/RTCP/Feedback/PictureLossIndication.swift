// RFC 4585 §6.1 and §6.3.1, PT=PSFB=206, FMT=1:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|  FMT=1  |    PT=206     |           length=2            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                  SSRC of packet sender                        |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                  SSRC of media source                         |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// PLI: a decoder has lost pictures and asks for one that stands alone (RFC 4585 §6.3.1).
public struct PictureLossIndication: Equatable, Sendable {
    /// Who asks.
    public var sender: SSRC
    /// The stream that is asked for a key frame.
    public var media: SSRC

    /// A request of `sender` to the stream `media`.
    public init(sender: SSRC, media: SSRC) {
        self.sender = sender
        self.media = media
    }

    package static let format: UInt8 = 1

    /// Bytes on the wire.
    public var byteCount: Int { 12 }

    /// Reads the request.
    ///
    /// - Throws: `unexpectedPacketType` or `truncated`.
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.payloadFeedback, format: PictureLossIndication.format)
        var reader = ByteReader(packet.body)
        self.init(sender: SSRC(try reader.uint32()), media: SSRC(try reader.uint32()))
    }

    /// Appends the request. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .payloadFeedback, count: Int(PictureLossIndication.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: media.rawValue)
    }
}
