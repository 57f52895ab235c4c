/// The location of the parts of an RTP packet in its bytes (RFC 3550 §5.1); ``RTPPacket`` is a view based on it.
///
/// It holds only a few integers, so that they stay in registers. Use it for code that handles every packet of a
/// stream and mostly needs just the header and the payload.
///
/// ```swift
/// let layout = try RTPPacketLayout(parsing: datagram)
/// let payload = datagram.extracting(layout.payload)
/// ```
public struct RTPPacketLayout: Equatable, Sendable, BitwiseCopyable {
    /// The fixed fields of the header.
    public let header: RTPHeader
    /// The offset after the contributing sources, where the extension starts, or else the payload.
    public let sourcesEnd: Int
    /// The offset of the payload.
    public let payloadStart: Int
    /// The offset after the payload. The payload may be empty.
    public let payloadEnd: Int

    /// Whether there is a header extension.
    @inlinable
    public var hasExtension: Bool { payloadStart > sourcesEnd }

    /// The payload, without header and padding.
    @inlinable
    public var payload: Range<Int> { payloadStart..<payloadEnd }

    /// Locates the parts of a packet.
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @inlinable @inline(__always)  // Hot path: runs for every packet.
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
