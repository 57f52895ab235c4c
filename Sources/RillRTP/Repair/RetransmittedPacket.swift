// RFC 4588 §4:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                         RTP Header                            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |            OSN                |                               |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               |
//     |                  Original RTP Packet Payload                  |
//     |                                                               |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// The header is the original's, extension and contributing sources included, but for the payload type, and for the
// sequence number and source, which are those of the retransmission stream. Padding is left out.

/// A view of a packet of a retransmission stream, RTX (RFC 4588), with sources told apart by SSRC.
///
///     let again = [UInt8](capacity: packet.count + RetransmittedPacket.headerByteCount) { output in
///         try RetransmittedPacket.write(packet, payloadType: rtx, sequenceNumber: number, ssrc: source, into: &output)
///     }
///     let packet = try RetransmittedPacket(parsing: again.span)
///     packet.writeOriginal(payloadType: vp8, ssrc: media, into: &output)
///
/// The view lives no longer than the bytes. It may be made of any bytes: what is no such packet throws. Allocates nothing.
public struct RetransmittedPacket: ~Escapable {
    /// OSN: the number under which the packet was sent first.
    public let originalSequenceNumber: SequenceNumber
    /// The source of the retransmission stream.
    public let ssrc: SSRC
    private let packet: RewrittenPacket

    /// Bytes that a packet grows by: OSN.
    public static let headerByteCount = 2

    /// Takes a packet apart.
    ///
    /// - Throws: what ``RTPPacket`` throws; `truncated` without OSN, as in packets of padding alone.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        packet = try RewrittenPacket(parsing: bytes)
        ssrc = packet.ssrc
        var reader = ByteReader(packet.payload)
        originalSequenceNumber = SequenceNumber(try reader.uint16())
    }

    /// Bytes of the original packet; its padding is not restored.
    public var originalByteCount: Int {
        packet.headByteCount + packet.payload.count - RetransmittedPacket.headerByteCount
    }

    /// Appends the packet as it was sent first, under its payload type and source, which the session knows.
    ///
    /// `output` has room for `originalByteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func writeOriginal(payloadType: PayloadType, ssrc: SSRC, into output: inout OutputSpan<UInt8>) {
        packet.writeHead(
            payloadType: payloadType, sequenceNumber: originalSequenceNumber, ssrc: ssrc, into: &output)
        output.append(copying: packet.payload.extracting(RetransmittedPacket.headerByteCount...))
    }

    /// Appends the packet that sends `original` again.
    ///
    /// - Parameters:
    ///   - original: a whole RTP packet.
    ///   - payloadType: that of RTX for the original's type (`apt` of the session description).
    ///   - sequenceNumber: the next one of the retransmission stream.
    ///   - ssrc: the source of the retransmission stream.
    ///   - output: has room for the original and `headerByteCount` bytes; too little is the programmer's mistake.
    /// - Throws: what ``RTPPacket`` throws, when `original` is none. Nothing is appended then.
    @_lifetime(output: copy output)
    public static func write(
        _ original: Span<UInt8>, payloadType: PayloadType, sequenceNumber: SequenceNumber, ssrc: SSRC,
        into output: inout OutputSpan<UInt8>
    ) throws(RTPError) {
        let packet = try RewrittenPacket(parsing: original)
        packet.writeHead(payloadType: payloadType, sequenceNumber: sequenceNumber, ssrc: ssrc, into: &output)
        output.append(bigEndian: packet.sequenceNumber.rawValue)
        output.append(copying: packet.payload)
    }
}
