/// The up to 31 report blocks of a sender or receiver report, held inline.
public struct ReportBlocks: Equatable, Sendable {
    /// How many there are, 0 to 31.
    public private(set) var count = 0
    private var blocks = InlineArray<31, ReportBlock>(
        repeating: ReportBlock(ssrc: SSRC(0), extendedHighestSequenceNumber: 0))

    /// The most that the five-bit count allows.
    public static let capacity = RTCPPacket.maximumCount

    /// No blocks: the report of who hears nobody.
    public init() {}

    /// One block.
    public init(_ block: ReportBlock) {
        append(block)
    }

    /// Adds a block; a thirty-second is the programmer's mistake.
    public mutating func append(_ block: ReportBlock) {
        precondition(count < ReportBlocks.capacity, "a report has at most 31 blocks")
        blocks[count] = block
        count += 1
    }

    /// The `index`th block, in the order of the packet.
    public subscript(index: Int) -> ReportBlock {
        precondition(index < count, "block \(index) of \(count)")
        return blocks[index]
    }

    /// The block about `ssrc`, if there is one.
    public subscript(ssrc: SSRC) -> ReportBlock? {
        for index in 0..<count where blocks[index].ssrc == ssrc { return blocks[index] }
        return nil
    }

    /// Whether both hold the same blocks in the same order.
    public static func == (a: ReportBlocks, b: ReportBlocks) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where a.blocks[index] != b.blocks[index] { return false }
        return true
    }

    // MARK: The wire

    var byteCount: Int { count * ReportBlock.byteCount }

    static func parse(count: UInt8, _ reader: inout ByteReader) throws(RTPError) -> ReportBlocks {
        guard Int(count) * ReportBlock.byteCount <= reader.remaining else {
            throw .invalidCount(count: Int(count), byteCount: reader.remaining)
        }
        var blocks = ReportBlocks()
        for _ in 0..<count { blocks.append(try ReportBlock.parse(&reader)) }
        return blocks
    }

    @_lifetime(output: copy output)
    func write(into output: inout OutputSpan<UInt8>) {
        for index in 0..<count { blocks[index].write(into: &output) }
    }
}
