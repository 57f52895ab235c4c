/// A view of one packet of an RTCP compound: its header, and its unparsed body.
///
/// The first word of every RTCP packet (RFC 3550 §6.4.1); the length counts the words that follow:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P| RC/FMT  |      PT       |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The view cannot outlive the bytes. ``RTCPCompound`` returns these packets, ``RTCPMessage`` parses them.
public struct RTCPPacket: ~Escapable {
    /// The packet type.
    public let type: RTCPPacketType
    /// Five bits whose meaning depends on the type: the number of reports or sources, or the feedback message type
    /// (FMT).
    public let count: UInt8
    /// The data after the first word, without padding: whole words. The last one may end with padding of less than a
    /// word.
    public let body: Span<UInt8>
    /// The size of the padding after the body in bytes.
    public let paddingByteCount: Int

    /// The size of the first word in bytes.
    package static let headerByteCount = 4
    /// The maximum value of the five bits of `count`.
    static let maximumCount = 31
    private static let paddingBit: UInt8 = 0x20
    private static let countMask: UInt8 = 0x1F

    /// The size of the packet in its compound in bytes.
    public var byteCount: Int { RTCPPacket.headerByteCount + body.count + paddingByteCount }

    /// A packet of any type and body, to be written, without padding.
    ///
    /// Traps if `count` exceeds 31 or if the size of the body is not a multiple of four bytes. Writing a body of more
    /// than 262140 bytes traps.
    @_lifetime(copy body)
    public init(type: RTCPPacketType, count: UInt8, body: Span<UInt8>) {
        precondition(count <= RTCPPacket.maximumCount, "a count of \(count) in 5 bits")
        precondition(body.count % 4 == 0, "an RTCP packet is whole words, not \(body.count) bytes")
        self.type = type
        self.count = count
        self.body = body
        self.paddingByteCount = 0
    }

    /// Parses the packet at the start of `bytes`; other packets may follow.
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
            guard padding > 0, padding <= range.count else {
                throw .invalidPadding(count: padding, available: range.count)
            }
            // "It will be a multiple of four" (RFC 3550 §6.4.1). But browsers fill the last word of transport-wide
            // feedback by one to three bytes of padding: the body keeps its last word.
            paddingByteCount = padding / 4 * 4
        } else {
            paddingByteCount = 0
        }
        body = bytes.extracting(range.lowerBound..<range.upperBound - paddingByteCount)
    }

    /// Appends the packet without its padding. Traps unless `output` has room for it.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            type, count: Int(count), byteCount: RTCPPacket.headerByteCount + body.count, into: &output)
        output.append(copying: body)
    }

    /// Appends padding to the packet that starts at byte `start` of `output` and ends at its end.
    ///
    /// Only the last packet of a compound may have padding (RFC 3550 §6.4.1).
    ///
    /// - Parameters:
    ///   - start: the offset of the packet in `output`. Traps unless a packet header fits between it and the end.
    ///   - byteCount: the size of the padding in bytes. Traps unless it is a multiple of four from 4 to 252.
    ///   - output: where the packet was written. Traps unless there is room for the padding.
    @_lifetime(output: copy output)
    public static func pad(packetAt start: Int, by byteCount: Int, in output: inout OutputSpan<UInt8>) {
        precondition(byteCount % 4 == 0 && (4...252).contains(byteCount), "padding of \(byteCount) bytes")
        precondition(start >= 0 && start + headerByteCount <= output.count, "no packet begins at byte \(start)")
        output.append(repeating: 0, count: byteCount - 1)
        output.append(UInt8(truncatingIfNeeded: byteCount))
        output[start] |= paddingBit
        patchLength(ofPacketAt: start, in: &output)
    }

    /// Sets the length field of the packet at `start`, so that it ends at the output's end.
    @_lifetime(output: copy output)
    static func patchLength(ofPacketAt start: Int, in output: inout OutputSpan<UInt8>) {
        let byteCount = output.count - start
        precondition(
            byteCount % 4 == 0 && (1...65536).contains(byteCount / 4), "an RTCP packet of \(byteCount) bytes")
        let words = byteCount / 4 - 1
        output[start + 2] = UInt8(truncatingIfNeeded: words >> 8)
        output[start + 3] = UInt8(truncatingIfNeeded: words)
    }

    /// Traps unless a report with that many blocks and an extension of that many bytes can be written.
    static func checkReport(blocks count: Int, extensionByteCount: Int) {
        precondition(count <= maximumCount, "\(count) report blocks: 31 fit")
        precondition(extensionByteCount % 4 == 0, "an extension of \(extensionByteCount) bytes is not whole words")
    }

    /// Appends the first word of a packet without padding. `byteCount` is the size of the packet in bytes, a multiple
    /// of four.
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

    /// Throws unless the packet has that type and, if given, that feedback format.
    func require(_ type: RTCPPacketType, format: UInt8? = nil) throws(RTPError) {
        guard self.type == type, format ?? count == count else { throw .unexpectedPacketType(self.type.rawValue) }
    }
}

extension ByteReader {
    /// Reads a list of `count` elements.
    ///
    /// - Throws: `invalidCount` if fewer bytes remain.
    @_lifetime(copy self) @_lifetime(self: copy self)
    mutating func list<Element>(count: UInt8) throws(RTPError) -> WireList<Element> {
        let byteCount = Int(count) * Element.byteCount
        guard byteCount <= remaining else { throw .invalidCount(count: Int(count), byteCount: remaining) }
        return WireList(parsing: try span(byteCount))
    }
}

/// The packet type, the second byte of an RTCP packet (RFC 3550 §12.1, RFC 4585 §6.1).
@frozen
public struct RTCPPacketType: Hashable, Sendable, RawRepresentable {
    /// The value on the wire.
    public let rawValue: UInt8

    /// The type with that value, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// SR: what a sender has sent, and when.
    public static let senderReport = RTCPPacketType(rawValue: 200)
    /// RR: what a receiver has received.
    public static let receiverReport = RTCPPacketType(rawValue: 201)
    /// SDES: the descriptions of sources.
    public static let sourceDescription = RTCPPacketType(rawValue: 202)
    /// BYE: sources that leave.
    public static let goodbye = RTCPPacketType(rawValue: 203)
    /// APP: application-defined data.
    public static let application = RTCPPacketType(rawValue: 204)
    /// RTPFB: transport layer feedback; the count field is its format (FMT).
    public static let transportFeedback = RTCPPacketType(rawValue: 205)
    /// PSFB: payload-specific feedback; the count field is its format (FMT).
    public static let payloadFeedback = RTCPPacketType(rawValue: 206)
    /// XR: extended reports (RFC 3611).
    public static let extendedReport = RTCPPacketType(rawValue: 207)
}
