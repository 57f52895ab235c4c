/// An RTP packet whose header goes on with other numbers: what RTX and RED make of each other's and of media packets.
///
/// Works on the bytes as they are, so that contributing sources and header extensions pass untouched.
struct RewrittenPacket: ~Escapable {
    /// Header, contributing sources and header extension.
    private let head: Span<UInt8>
    /// The payload, without padding.
    let payload: Span<UInt8>
    /// The number in the header.
    let sequenceNumber: SequenceNumber
    /// The source in the header.
    let ssrc: SSRC

    /// Takes a packet apart.
    ///
    /// - Throws: what ``RTPPacket`` throws.
    @_lifetime(copy bytes)
    init(parsing bytes: Span<UInt8>) throws(RTPError) {
        let packet = try RTPPacket(parsing: bytes)
        head = bytes.extracting(first: bytes.count - packet.payload.count - packet.paddingByteCount)
        payload = packet.payload
        sequenceNumber = packet.header.sequenceNumber
        ssrc = packet.header.ssrc
    }

    /// Bytes before the payload.
    var headByteCount: Int { head.count }

    /// Appends what stands before the payload, under those numbers and without padding.
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
