// RFC 3550 §6.4.1, the word that every RTCP packet begins with:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P| RC/FMT  |      PT       |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// The length counts the words that follow.

/// A view of one packet of an RTCP compound: its first word, and its body not taken apart.
///
/// It lives no longer than the bytes. ``RTCPCompound`` gives these, ``RTCPMessage`` takes them apart.
public struct RTCPPacket: ~Escapable {
    /// What the packet is.
    public let type: RTCPPacketType
    /// Five bits whose meaning depends on the type: how many reports or sources follow, or the kind of feedback (FMT).
    public let count: UInt8
    /// What follows the first word, padding left out.
    public let body: Span<UInt8>
    /// Bytes of padding behind the body.
    public let paddingByteCount: Int

    /// Bytes of the first word.
    static let headerByteCount = 4
    /// The most that the five bits of `count` can say.
    static let maximumCount = 31
    private static let paddingBit: UInt8 = 0x20
    private static let countMask: UInt8 = 0x1F

    /// Bytes of the packet in its compound.
    public var byteCount: Int { RTCPPacket.headerByteCount + body.count + paddingByteCount }

    /// Reads the packet at the front of `bytes`, others may follow.
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @_lifetime(copy bytes)
    init(parsing bytes: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(bytes)
        let first = try reader.uint8()
        guard first >> 6 == RTPHeader.version else { throw .unsupportedVersion(first >> 6) }
        type = RTCPPacketType(rawValue: try reader.uint8())
        count = first & RTCPPacket.countMask
        let words = Int(try reader.uint16())
        let range = try reader.range(4 * words)
        if first & RTCPPacket.paddingBit != 0 {
            let padding = range.isEmpty ? 0 : Int(bytes[range.upperBound - 1])
            guard padding > 0, padding <= range.count else {
                throw .invalidPadding(count: padding, available: range.count)
            }
            paddingByteCount = padding
        } else {
            paddingByteCount = 0
        }
        body = bytes.extracting(range.lowerBound..<range.upperBound - paddingByteCount)
    }

    /// Appends the first word of a packet without padding, `byteCount` bytes in all, a multiple of four.
    @_lifetime(output: copy output)
    static func writeHeader(
        _ type: RTCPPacketType, count: Int, byteCount: Int, into output: inout OutputSpan<UInt8>
    ) {
        precondition((0...maximumCount).contains(count), "a count of \(count) in 5 bits")
        precondition(
            byteCount % 4 == 0 && (1...65536).contains(byteCount / 4), "an RTCP packet of \(byteCount) bytes")
        output.append(RTPHeader.version << 6 | UInt8(count))
        output.append(type.rawValue)
        output.append(bigEndian: UInt16(byteCount / 4 - 1))
    }

    /// Throws unless the packet is of that type and, where feedback has one, of that format.
    func require(_ type: RTCPPacketType, format: UInt8? = nil) throws(RTPError) {
        guard self.type == type, format ?? count == count else { throw .unexpectedPacketType(self.type.rawValue) }
    }
}
