/// A view of a RED payload (RFC 2198): a primary block, preceded by any number of redundant blocks with earlier
/// timestamps.
///
/// The payload has one header per block, then the blocks in the same order (RFC 2198 §3). The header of a redundant
/// block, where F = 1 means that another header follows:
///
/// ```text
///  0                   1                    2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3  4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |F|   block PT  |  timestamp offset         |   block length    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The last header, of the primary block, which extends to the end of the packet and has its timestamp:
///
/// ```text
///  0 1 2 3 4 5 6 7
/// +-+-+-+-+-+-+-+-+
/// |0|   Block PT  |
/// +-+-+-+-+-+-+-+-+
/// ```
///
/// Video uses RED with only a primary block, to carry FEC packets in the stream that they protect (RFC 5109 §14.2).
///
/// ```swift
/// var red = try REDPayload(parsing: packet.payload)
/// while let block = red.next() { note(block.payloadType, block.data) }
/// ```
///
/// The view cannot outlive the bytes. Parsing accepts arbitrary bytes and throws if they are not a RED payload.
/// Allocates nothing.
public struct REDPayload: ~Escapable {
    private let bytes: Span<UInt8>
    /// The offsets of the next header and of the next block's data.
    private var header = 0
    private var data: Int
    private var isOver = false

    /// One block.
    public struct Block: ~Escapable {
        /// The payload type of the data.
        public let payloadType: PayloadType
        /// How many ticks the block's timestamp is before the packet's, 0 to 16383; `nil` for the primary block,
        /// which has the packet's timestamp.
        public let timestampOffset: Int?
        /// The data of the block.
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
    /// The size of a redundant block's header in bytes.
    public static let redundantHeaderByteCount = 4
    /// The size of the primary block's header in bytes: the overhead of RED in a packet without redundant blocks.
    public static let primaryHeaderByteCount = 1
    /// The maximum timestamp offset (14 bits), in ticks.
    public static let maximumTimestampOffset = (1 << 14) - 1
    /// The maximum size of a redundant block in bytes (10 bits).
    public static let maximumRedundantByteCount = (1 << 10) - 1

    /// Parses all headers and checks that their blocks are complete.
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

    /// Returns the next block, or `nil` after the primary block, which is the last.
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

    /// Appends the header of a redundant block. Write the headers of all blocks before the data of the first.
    ///
    /// Traps if the offset or the length exceeds its bits, or if there is no room for four bytes.
    @_lifetime(output: copy output)
    public static func writeRedundantHeader(
        payloadType: PayloadType, timestampOffset: Int, byteCount: Int, into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            (0...maximumTimestampOffset).contains(timestampOffset)
                && (0...maximumRedundantByteCount).contains(byteCount),
            "a redundant block of \(byteCount) bytes, \(timestampOffset) ticks ago: 1023 bytes, 16383 ticks fit"
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

/// Wraps whole RTP packets in RED and unwraps them, as video uses it.
public enum REDPacket {
    /// Appends a RED packet whose primary block is the payload of `packet`, with the same sequence number and
    /// timestamp.
    ///
    /// Padding is omitted.
    ///
    /// - Parameters:
    ///   - packet: a whole RTP packet.
    ///   - payloadType: the payload type of RED.
    ///   - output: where to append. Traps unless there is room for the packet and one byte.
    /// - Throws: the errors of ``RTPPacket`` if `packet` is not an RTP packet. Appends nothing in this case.
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

    /// Appends the packet that the primary block of a RED packet contains. Ignores redundant blocks.
    ///
    /// - Parameters:
    ///   - packet: a whole RED packet.
    ///   - output: where to append. Traps unless there is room for as many bytes as `packet` has.
    /// - Throws: the errors of ``RTPPacket`` and ``REDPayload``. Appends nothing in this case.
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
