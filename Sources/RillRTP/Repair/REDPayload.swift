// RFC 2198 §3: a header for each block, then the blocks in the same order. All but the last header:
//
//      0                   1                    2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3  4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |F|   block PT  |  timestamp offset         |   block length    |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// F = 1: another header follows. The last, of the primary block, which reaches to the packet's end and has its timestamp:
//
//      0 1 2 3 4 5 6 7
//     +-+-+-+-+-+-+-+-+
//     |0|   Block PT  |
//     +-+-+-+-+-+-+-+-+

/// A view of a RED payload (RFC 2198): one primary block, and before it any number of redundant ones of earlier times.
///
/// Video uses RED with a primary block alone, to carry FEC among the packets that it protects (RFC 5109 §14.2).
///
///     var red = try REDPayload(parsing: packet.payload)
///     while let block = red.next() { … }
///
/// The view lives no longer than the bytes. It may be made of any bytes: what is no such payload throws. Allocates
/// nothing.
public struct REDPayload: ~Escapable {
    private let bytes: Span<UInt8>
    /// Where the next header and the next block's data begin.
    private var header = 0
    private var data: Int
    private var isOver = false

    /// One block.
    public struct Block: ~Escapable {
        /// What the data is.
        public let payloadType: PayloadType
        /// How many ticks before the packet's timestamp the block's own lies, 0 to 16383; `nil` for the primary block,
        /// whose timestamp is the packet's.
        public let timestampOffset: Int?
        /// The block's data.
        public let data: Span<UInt8>

        @_lifetime(copy data)
        init(payloadType: PayloadType, timestampOffset: Int?, data: Span<UInt8>) {
            self.payloadType = payloadType
            self.timestampOffset = timestampOffset
            self.data = data
        }
    }

    private static let moreBit: UInt8 = 0x80
    private static let payloadTypeMask: UInt8 = 0x7F
    /// Bytes of the header of a redundant block, and of the primary one.
    public static let redundantHeaderByteCount = 4
    /// Bytes of the header of a primary block: what RED costs a packet that has no other.
    public static let primaryHeaderByteCount = 1
    /// The most that the 14 bits of a timestamp offset can tell.
    public static let maximumTimestampOffset = (1 << 14) - 1
    /// The most bytes that a redundant block can have (10 bits).
    public static let maximumRedundantByteCount = (1 << 10) - 1

    /// Reads all headers and sees that their blocks are there.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy payload)
    public init(parsing payload: Span<UInt8>) throws(RTPError) {
        bytes = payload
        var reader = ByteReader(payload)
        var length = 0
        while try reader.uint8() & REDPayload.moreBit != 0 {
            _ = try reader.uint8()
            length += Int(try reader.uint16() & UInt16(REDPayload.maximumRedundantByteCount))
        }
        data = reader.position
        _ = try reader.range(length)
    }

    /// The next block, the primary one at the end; `nil` behind it.
    @_lifetime(copy self)
    public mutating func next() -> Block? {
        guard !isOver else { return nil }
        let type = PayloadType(bytes[header] & REDPayload.payloadTypeMask)
        guard bytes[header] & REDPayload.moreBit != 0 else {
            isOver = true
            return Block(payloadType: type, timestampOffset: nil, data: bytes.extracting(data...))
        }
        // The low 24 bits: offset and length.
        let word = Int(bytes.bigEndianUInt32(at: header) & 0xFF_FFFF)
        let range = data..<data + (word & REDPayload.maximumRedundantByteCount)
        header += REDPayload.redundantHeaderByteCount
        data = range.upperBound
        return Block(payloadType: type, timestampOffset: word >> 10, data: bytes.extracting(range))
    }

    /// Appends the header of a redundant block; the headers of all blocks come before the first block's data.
    ///
    /// An offset or length beyond its bits is the programmer's mistake, and so is room for fewer than four bytes.
    @_lifetime(output: copy output)
    public static func writeRedundantHeader(
        payloadType: PayloadType, timestampOffset: Int, byteCount: Int, into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            (0...maximumTimestampOffset).contains(timestampOffset)
                && (0...maximumRedundantByteCount).contains(byteCount),
            "a redundant block of \(byteCount) bytes, \(timestampOffset) ticks ago: 1023 bytes, 16383 ticks can be told"
        )
        output.append(
            bigEndian: UInt32(moreBit | payloadType.rawValue) << 24 | UInt32(timestampOffset) << 10 | UInt32(byteCount))
    }

    /// Appends the header of the primary block, which is the last one.
    @_lifetime(output: copy output)
    public static func writePrimaryHeader(payloadType: PayloadType, into output: inout OutputSpan<UInt8>) {
        output.append(payloadType.rawValue)
    }
}

/// Puts whole RTP packets into RED and takes them out: what video does with it.
public enum REDPacket {
    /// Appends `packet` as the primary block of a RED packet of the same numbers. Padding is left out.
    ///
    /// - Parameters:
    ///   - packet: a whole RTP packet.
    ///   - payloadType: that of RED.
    ///   - output: has room for the packet and one byte; too little is the programmer's mistake.
    /// - Throws: what ``RTPPacket`` throws, when `packet` is none. Nothing is appended then.
    @_lifetime(output: copy output)
    public static func write(
        wrapping packet: Span<UInt8>, payloadType: PayloadType, into output: inout OutputSpan<UInt8>
    ) throws(RTPError) {
        let original = try RewrittenPacket(parsing: packet)
        original.writeHead(
            payloadType: payloadType, sequenceNumber: original.sequenceNumber, ssrc: original.ssrc, into: &output)
        REDPayload.writePrimaryHeader(
            payloadType: PayloadType(packet[1] & RTPHeader.payloadTypeMask), into: &output)
        output.append(copying: original.payload)
    }

    /// Appends the packet whose payload the primary block of a RED packet is. Redundant blocks are passed over.
    ///
    /// - Parameter output: has room for as many bytes as `packet` has; too little is the programmer's mistake.
    /// - Throws: what ``RTPPacket`` and ``REDPayload`` throw. Nothing is appended then.
    @_lifetime(output: copy output)
    public static func writePrimary(
        of packet: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) throws(RTPError) {
        let red = try RewrittenPacket(parsing: packet)
        var payload = try REDPayload(parsing: red.payload)
        while let block = payload.next() {
            guard block.timestampOffset == nil else { continue }
            red.writeHead(
                payloadType: block.payloadType, sequenceNumber: red.sequenceNumber, ssrc: red.ssrc, into: &output)
            output.append(copying: block.data)
        }
    }
}
