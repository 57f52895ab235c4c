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
    /// What follows the first word, padding left out: whole words.
    public let body: Span<UInt8>
    /// Bytes of padding behind the body.
    public let paddingByteCount: Int

    /// Bytes of the first word.
    package static let headerByteCount = 4
    /// The most that the five bits of `count` can say.
    static let maximumCount = 31
    private static let paddingBit: UInt8 = 0x20
    private static let countMask: UInt8 = 0x1F

    /// Bytes of the packet in its compound.
    public var byteCount: Int { RTCPPacket.headerByteCount + body.count + paddingByteCount }

    /// A packet of any type and body, to be written, without padding.
    ///
    /// A `count` over 31 and a body that is no multiple of four bytes, or over 262140, are the programmer's mistake.
    @_lifetime(copy body)
    public init(type: RTCPPacketType, count: UInt8, body: Span<UInt8>) {
        precondition(count <= RTCPPacket.maximumCount, "a count of \(count) in 5 bits")
        precondition(body.count % 4 == 0, "an RTCP packet is whole words, not \(body.count) bytes")
        self.type = type
        self.count = count
        self.body = body
        self.paddingByteCount = 0
    }

    /// Reads the packet at the front of `bytes`, others may follow.
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(bytes)
        let first = try reader.uint8()
        guard first >> 6 == RTPHeader.version else { throw .unsupportedVersion(first >> 6) }
        type = RTCPPacketType(rawValue: try reader.uint8())
        count = first & RTCPPacket.countMask
        let words = Int(try reader.uint16())
        let range = try reader.range(4 * words)
        if first & RTCPPacket.paddingBit != 0 {
            let padding = range.isEmpty ? 0 : Int(bytes[range.upperBound - 1])
            // "It will be a multiple of four" (RFC 3550 §6.4.1): what is left are whole words.
            guard padding > 0, padding % 4 == 0, padding <= range.count else {
                throw .invalidPadding(count: padding, available: range.count)
            }
            paddingByteCount = padding
        } else {
            paddingByteCount = 0
        }
        body = bytes.extracting(range.lowerBound..<range.upperBound - paddingByteCount)
    }

    /// Appends the packet, padding left out. `output` has room for it; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            type, count: Int(count), byteCount: RTCPPacket.headerByteCount + body.count, into: &output)
        output.append(copying: body)
    }

    /// Appends padding to the packet that begins at byte `start` of `output` and ends at its end.
    ///
    /// Only a compound's last packet may have padding (RFC 3550 §6.4.1).
    ///
    /// - Parameter byteCount: 4 to 252, a multiple of four. Anything else, and too little room, is the programmer's
    ///   mistake.
    @_lifetime(output: copy output)
    public static func pad(packetAt start: Int, by byteCount: Int, in output: inout OutputSpan<UInt8>) {
        precondition(byteCount % 4 == 0 && (4...252).contains(byteCount), "padding of \(byteCount) bytes")
        precondition(start >= 0 && start + headerByteCount <= output.count, "no packet begins at byte \(start)")
        output.append(repeating: 0, count: byteCount - 1)
        output.append(UInt8(truncatingIfNeeded: byteCount))
        output[start] |= paddingBit
        patchLength(ofPacketAt: start, in: &output)
    }

    /// Makes the length field of the packet at `start` say that it ends at the output's end.
    @_lifetime(output: copy output)
    static func patchLength(ofPacketAt start: Int, in output: inout OutputSpan<UInt8>) {
        let byteCount = output.count - start
        precondition(
            byteCount % 4 == 0 && (1...65536).contains(byteCount / 4), "an RTCP packet of \(byteCount) bytes")
        let words = byteCount / 4 - 1
        output[start + 2] = UInt8(truncatingIfNeeded: words >> 8)
        output[start + 3] = UInt8(truncatingIfNeeded: words)
    }

    /// Traps unless a report of that many blocks, with an extension of that many bytes, can be written.
    static func checkReport(blocks count: Int, extensionByteCount: Int) {
        precondition(count <= maximumCount, "\(count) report blocks: 31 fit")
        precondition(extensionByteCount % 4 == 0, "an extension of \(extensionByteCount) bytes is not whole words")
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

extension ByteReader {
    /// Passes over a list of `count` elements, and gives it.
    ///
    /// - Throws: `invalidCount` when there is not room for as many.
    @_lifetime(copy self) @_lifetime(self: copy self)
    mutating func list<Element>(count: UInt8) throws(RTPError) -> WireList<Element> {
        let byteCount = Int(count) * Element.byteCount
        guard byteCount <= remaining else { throw .invalidCount(count: Int(count), byteCount: remaining) }
        return WireList(parsing: try span(byteCount))
    }
}
