/// PLI: a decoder has lost pictures and requests a key frame (RFC 4585 §6.3.1).
///
/// RFC 4585 §6.1 and §6.3.1, PT=PSFB=206, FMT=1:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=1  |    PT=206     |           length=2            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of media source                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
public struct PictureLossIndication: Equatable, Sendable {
    /// The SSRC of the requester.
    public var sender: SSRC
    /// The SSRC of the stream that is to send a key frame.
    public var media: SSRC

    /// A request from `sender` to the stream `media`.
    public init(sender: SSRC, media: SSRC) {
        self.sender = sender
        self.media = media
    }

    package static let format: UInt8 = 1

    /// The size of the packet: 12 bytes.
    public var byteCount: Int { 12 }

    /// Parses the request.
    ///
    /// - Throws: `unexpectedPacketType` or `truncated`.
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.payloadFeedback, format: PictureLossIndication.format)
        var reader = ByteReader(packet.body)
        self.init(sender: SSRC(try reader.uint32()), media: SSRC(try reader.uint32()))
    }

    /// Appends the request. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .payloadFeedback, count: Int(PictureLossIndication.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: media.rawValue)
    }
}
