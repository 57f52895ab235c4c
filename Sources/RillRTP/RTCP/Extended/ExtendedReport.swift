// RFC 3611 §2 and §3:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|reserved |   PT=XR=207   |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                              SSRC                             |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |      BT       | type-specific |         block length          |  each block; the length
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+  counts the words that
//     :             type-specific block contents                      :  follow
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// XR: reports beyond what SR and RR have room for (RFC 3611).
///
///     var report = try ExtendedReport(parsing: packet)
///     while let block = try report.next() {
///         switch block {
///         case .receiverReferenceTime(let time): note(time, of: report.ssrc)
///         case .delaySinceLastReceiverReport(let delays): …
///         case .unknown: continue
///         }
///     }
///
/// A view: it lives no longer than the bytes. ``ExtendedReportWriter`` writes them.
public struct ExtendedReport: ~Escapable {
    /// Who reports.
    public let ssrc: SSRC
    private var rest: Span<UInt8>

    /// What one block says.
    public enum Block: ~Escapable {
        /// RRT: the wall clock of one who sends nothing, for others to echo (§4.4).
        case receiverReferenceTime(NTPTimestamp)
        /// DLRR: the echoes, one a receiver (§4.5).
        case delaySinceLastReceiverReport(WireList<ReceiverDelay>)
        /// Any other.
        case unknown(UnknownBlock)
    }

    /// A block that Rill does not take apart.
    public struct UnknownBlock: ~Escapable {
        /// BT: what it is.
        public let type: UInt8
        /// Eight bits whose meaning depends on the type.
        public let typeSpecific: UInt8
        /// What follows the first word: whole words.
        public let contents: Span<UInt8>

        /// A block of these fields. Contents that are no multiple of four bytes are the programmer's mistake.
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

    /// Reads the packet's first words; the blocks come one after the other from ``next()``.
    ///
    /// - Throws: `unexpectedPacketType` or `truncated`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.extendedReport)
        var reader = ByteReader(packet.body)
        ssrc = SSRC(try reader.uint32())
        rest = packet.body.extracting(reader.position...)
    }

    /// The next block; `nil` behind the last, and after an error.
    ///
    /// - Throws: `truncated` when a block is longer than the packet, or shorter than its type asks.
    @_lifetime(copy self)
    public mutating func next() throws(RTPError) -> Block? {
        guard !rest.isEmpty else { return nil }
        var reader = ByteReader(rest)
        let bytes = rest
        rest = rest.extracting(first: 0)  // unless nothing below finds fault
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
