/// How the bytes of a frame are shared out over packets: as few pieces as the limit allows, and of nearly equal sizes.
///
/// The sizes differ by one byte at most, the longer pieces first. Equal packets are lost with equal chance and leave a
/// paced link evenly; a tiny last packet would cost a whole header.
///
///     Array(FrameSplit(byteCount: 10, maximumPieceByteCount: 4))  // [0..<4, 4..<7, 7..<10]
public struct FrameSplit: RandomAccessCollection, Equatable, Sendable {
    /// Bytes of the frame.
    public let byteCount: Int
    /// How many pieces there are; none for a frame of no bytes.
    public let count: Int

    /// Shares out `byteCount` bytes (0 or more) over pieces of at most `maximumPieceByteCount` bytes (1 or more).
    public init(byteCount: Int, maximumPieceByteCount limit: Int) {
        precondition(byteCount >= 0, "a frame of \(byteCount) bytes")
        precondition(limit >= 1, "pieces of \(limit) bytes carry nothing: the packet size is below its headers")
        self.byteCount = byteCount
        self.count = byteCount / limit + (byteCount % limit == 0 ? 0 : 1)
    }

    /// The first piece: 0.
    public var startIndex: Int { 0 }
    /// Behind the last piece: `count`.
    public var endIndex: Int { count }

    /// Where in the frame piece `index` stands.
    public subscript(index: Int) -> Range<Int> {
        precondition(index >= 0 && index < count, "piece \(index) of \(count)")
        let (size, longer) = byteCount.quotientAndRemainder(dividingBy: count)
        let start = index * size + Swift.min(index, longer)
        return start..<start + size + (index < longer ? 1 : 0)
    }
}
