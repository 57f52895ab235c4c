/// Where the parts of an RTP packet stand in its bytes (RFC 3550 §5.1): what a ``RTPPacket`` is a view by.
///
/// Numbers alone, so few that they stay in registers: for who looks at each packet of a stream and needs the header and
/// the payload of nearly all, but the rest of few.
///
///     let layout = try RTPPacketLayout(parsing: datagram)
///     let payload = datagram.extracting(layout.payload)
public struct RTPPacketLayout: Equatable, Sendable, BitwiseCopyable {
    /// The fixed fields of the header.
    public let header: RTPHeader
    /// Behind the contributing sources: there the extension begins, where there is one, else the payload.
    public let sourcesEnd: Int
    /// The payload's first byte.
    public let payloadStart: Int
    /// The one behind its last: it may be empty.
    public let payloadEnd: Int

    /// Whether there is a header extension.
    @inlinable
    public var hasExtension: Bool { payloadStart > sourcesEnd }

    /// The payload, without header and padding.
    @inlinable
    public var payload: Range<Int> { payloadStart..<payloadEnd }

    /// Finds the parts of a packet.
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @inlinable @inline(__always)  // On the way of every packet.
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(bytes)
        let first = try reader.uint8()
        header = try RTPHeader(first, &reader)
        sourcesEnd = try reader.range(4 &* Int(first & RTPHeader.sourceCountMask)).upperBound
        if first & RTPHeader.extensionBit != 0 {
            try reader.require(RTPHeaderExtension.fixedByteCount)
            _ = try reader.uint16()
            let words = Int(try reader.uint16())
            _ = try reader.range(4 &* words)
        }
        payloadStart = reader.position
        guard first & RTPHeader.paddingBit != 0 else {
            payloadEnd = bytes.count
            return
        }
        let count = reader.remaining > 0 ? Int(bytes[bytes.count &- 1]) : 0
        guard count > 0, count <= reader.remaining else {
            throw .invalidPadding(count: count, available: reader.remaining)
        }
        payloadEnd = bytes.count &- count
    }
}
