/// A view of a packet of a retransmission stream, RTX (RFC 4588), in SSRC multiplexing.
///
/// The layout of the packet (RFC 4588 §4):
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         RTP Header                            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            OSN                |                               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               |
/// |                  Original RTP Packet Payload                  |
/// |                                                               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The header is that of the original packet, including its extension and contributing sources. Only the payload
/// type, the sequence number and the SSRC are those of the retransmission stream. Padding is omitted.
///
/// ```swift
/// let rtx = try [UInt8](capacity: packet.count + RetransmittedPacket.headerByteCount) { output in
///     try RetransmittedPacket.write(
///         packet, payloadType: rtxType, sequenceNumber: number, ssrc: rtxSSRC, into: &output)
/// }
/// let retransmission = try RetransmittedPacket(parsing: rtx.span)
/// retransmission.writeOriginal(payloadType: vp8, ssrc: media, into: &output)
/// ```
///
/// The view cannot outlive the bytes. Parsing accepts arbitrary bytes and throws if they are not such a packet.
/// Allocates nothing.
public struct RetransmittedPacket: ~Escapable {
    /// OSN: the sequence number of the original packet.
    public let originalSequenceNumber: SequenceNumber
    /// The SSRC of the retransmission stream.
    public let ssrc: SSRC
    private let packet: RewrittenPacket

    /// The overhead of a retransmission in bytes: the size of OSN.
    public static let headerByteCount = 2

    /// Parses a packet.
    ///
    /// - Throws: the errors of ``RTPPacket``; `truncated` without OSN, as in packets that contain only padding.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        packet = try RewrittenPacket(parsing: bytes)
        ssrc = packet.ssrc
        var reader = ByteReader(packet.payload)
        originalSequenceNumber = SequenceNumber(try reader.uint16())
    }

    /// The size of the original packet in bytes, without its padding, which is not restored.
    public var originalByteCount: Int {
        packet.headByteCount + packet.payload.count - RetransmittedPacket.headerByteCount
    }

    /// Appends the original packet, with the payload type and SSRC of its stream, which the session knows.
    ///
    /// Traps unless `output` has room for `originalByteCount` bytes.
    @_lifetime(output: copy output)
    public func writeOriginal(payloadType: PayloadType, ssrc: SSRC, into output: inout OutputSpan<UInt8>) {
        packet.writeHead(
            payloadType: payloadType, sequenceNumber: originalSequenceNumber, ssrc: ssrc, into: &output)
        output.append(copying: packet.payload.extracting(RetransmittedPacket.headerByteCount...))
    }

    /// Appends the packet that retransmits `original`.
    ///
    /// - Parameters:
    ///   - original: a whole RTP packet.
    ///   - payloadType: the RTX payload type for the original's type (`apt` of the session description).
    ///   - sequenceNumber: the next sequence number of the retransmission stream.
    ///   - ssrc: the SSRC of the retransmission stream.
    ///   - output: where to append. Traps unless there is room for the original and `headerByteCount` bytes.
    /// - Throws: the errors of ``RTPPacket`` if `original` is not an RTP packet. Appends nothing in this case.
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

/// An RTP packet whose header is rewritten with other values. RTX and RED use it to convert to and from media
/// packets.
///
/// It works on the bytes directly, so contributing sources and header extensions are unchanged.
struct RewrittenPacket: ~Escapable {
    /// Header, contributing sources and header extension.
    private let head: Span<UInt8>
    /// The payload, without padding.
    let payload: Span<UInt8>
    /// The sequence number in the header.
    let sequenceNumber: SequenceNumber
    /// The SSRC in the header.
    let ssrc: SSRC

    /// Parses a packet.
    ///
    /// - Throws: the errors of ``RTPPacket``.
    @_lifetime(copy bytes)
    init(parsing bytes: Span<UInt8>) throws(RTPError) {
        let packet = try RTPPacket(parsing: bytes)
        head = bytes.extracting(first: bytes.count - packet.payload.count - packet.paddingByteCount)
        payload = packet.payload
        sequenceNumber = packet.header.sequenceNumber
        ssrc = packet.header.ssrc
    }

    /// The number of bytes before the payload.
    var headByteCount: Int { head.count }

    /// Appends the bytes before the payload, with these values and with the padding bit cleared.
    @_lifetime(output: copy output)
    func writeHead(
        payloadType: PayloadType, sequenceNumber: SequenceNumber, ssrc: SSRC, into output: inout OutputSpan<UInt8>
    ) {
        output.append(head[0] & ~RTPHeader.paddingBit)
        output.append(head[1] & RTPHeader.markerBit | payloadType.rawValue)
        output.append(bigEndian: sequenceNumber.rawValue)
        output.append(copying: head.extracting(4..<8))
        output.append(bigEndian: ssrc.rawValue)
        output.append(copying: head.extracting(RTPHeader.fixedByteCount...))
    }
}
