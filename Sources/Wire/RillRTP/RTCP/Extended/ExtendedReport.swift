/// XR: extended reports, for data that SR and RR do not carry (RFC 3611).
///
/// RFC 3611 §2 and §3:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|reserved |   PT=XR=207   |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                              SSRC                             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      BT       | type-specific |         block length          |  each block; the length
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+  counts the words that
/// :             type-specific block contents                      :  follow
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// ```swift
/// var report = try ExtendedReport(parsing: packet)
/// while let block = try report.next() {
///     switch block {
///     case .receiverReferenceTime(let time): note(time, of: report.ssrc)
///     case .delaySinceLastReceiverReport(let delays): note(delays.array)
///     case .unknown: continue
///     }
/// }
/// ```
///
/// A view that cannot outlive the bytes. ``ExtendedReportWriter`` writes such packets.
public struct ExtendedReport: ~Escapable {
    /// The SSRC of the reporter.
    public let ssrc: SSRC
    private var rest: Span<UInt8>

    /// One report block.
    public enum Block: ~Escapable {
        /// RRT: the wall clock time of a receiver that sends no media, for others to echo (§4.4).
        case receiverReferenceTime(NTPTimestamp)
        /// DLRR: echoes of such times, one per receiver (§4.5).
        case delaySinceLastReceiverReport(WireList<ReceiverDelay>)
        /// Any other block.
        case unknown(UnknownBlock)
    }

    /// A block of a type that Rill does not parse.
    public struct UnknownBlock: ~Escapable {
        /// BT: the block type.
        public let type: UInt8
        /// Eight bits whose meaning depends on the type.
        public let typeSpecific: UInt8
        /// The data after the first word: whole words.
        public let contents: Span<UInt8>

        /// A block with these fields. Traps unless the size of the contents is a multiple of four bytes.
        @_lifetime(copy contents)
        public init(type: UInt8, typeSpecific: UInt8, contents: Span<UInt8>) {
            precondition(contents.count % 4 == 0, "a block of \(contents.count) bytes is not whole words")
            self.type = type
            self.typeSpecific = typeSpecific
            self.contents = contents
        }
    }

    static let receiverReferenceTimeType: UInt8 = 4
    static let delaySinceLastReceiverReportType: UInt8 = 5
    static let blockHeaderByteCount = 4

    /// Parses the start of the packet; ``next()`` returns the blocks in order.
    ///
    /// - Throws: `unexpectedPacketType` or `truncated`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.extendedReport)
        var reader = ByteReader(packet.body)
        ssrc = SSRC(try reader.uint32())
        rest = packet.body.extracting(reader.position...)
    }

    /// Returns the next block, or `nil` after the last one and after an error.
    ///
    /// - Throws: `truncated` if a block is longer than the packet, or shorter than its type requires.
    @_lifetime(copy self)
    public mutating func next() throws(RTPError) -> Block? {
        guard !rest.isEmpty else { return nil }
        var reader = ByteReader(rest)
        let bytes = rest
        rest = rest.extracting(first: 0)  // restored below if the block is valid
        let type = try reader.uint8()
        let typeSpecific = try reader.uint8()
        let words = Int(try reader.uint16())
        let contents = bytes.extracting(try reader.range(4 * words))
        rest = bytes.extracting(reader.position...)
        switch type {
        case ExtendedReport.receiverReferenceTimeType:
            var reader = ByteReader(contents)
            return .receiverReferenceTime(
                NTPTimestamp(seconds: try reader.uint32(), fraction: try reader.uint32()))
        case ExtendedReport.delaySinceLastReceiverReportType:
            return .delaySinceLastReceiverReport(WireList(parsing: contents))
        default:
            return .unknown(UnknownBlock(type: type, typeSpecific: typeSpecific, contents: contents))
        }
    }
}
