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
