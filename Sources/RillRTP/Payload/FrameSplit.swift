/// How the bytes of a frame are shared out over packets: as few pieces as the limit allows, and of nearly equal sizes.
///
/// The sizes differ by one byte at most, the longer pieces first. Equal packets are lost with equal chance and leave a
/// paced link evenly; a tiny last packet would cost a whole header.
///
///     Array(FrameSplit(byteCount: 10, maximumPieceByteCount: 4))  // [0..<4, 4..<7, 7..<10]
///
/// Where the first packet has something else to carry (VP9's scalability structure), its piece is shorter by that much,
/// so that again the packets are equal. Only when that is more than its share do the others have to differ from it.
public struct FrameSplit: RandomAccessCollection, Equatable, Sendable {
    /// Bytes of the frame.
    public let byteCount: Int
    /// How many pieces there are; none for a frame of no bytes.
    public let count: Int
    private let firstByteCount: Int
    /// The pieces behind the first: `longer` of them have one byte more than `size`.
    private let size: Int
    private let longer: Int

    /// Shares out `byteCount` bytes (0 or more) over pieces of at most `maximumPieceByteCount` bytes, the first of which
    /// has `reservation` bytes less. One byte at least must be left for each.
    public init(byteCount: Int, maximumPieceByteCount limit: Int, firstPieceReservation reservation: Int = 0) {
        precondition(byteCount >= 0, "a frame of \(byteCount) bytes")
        precondition(
            limit - reservation >= 1 && reservation >= 0,
            "pieces of \(limit - reservation) bytes carry nothing: the packet size is below its headers")
        self.byteCount = byteCount
        guard byteCount > 0 else {
            (count, firstByteCount, size, longer) = (0, 0, 0, 0)
            return
        }
        let total = byteCount + reservation
        count = (total - 1) / limit + 1
        firstByteCount = Swift.max(1, (total - 1) / count + 1 - reservation)
        (size, longer) =
            count > 1 ? (byteCount - firstByteCount).quotientAndRemainder(dividingBy: count - 1) : (0, 0)
    }

    /// The first piece: 0.
    public var startIndex: Int { 0 }
    /// Behind the last piece: `count`.
    public var endIndex: Int { count }

    /// Where in the frame piece `index` stands.
    public subscript(index: Int) -> Range<Int> {
        precondition(index >= 0 && index < count, "piece \(index) of \(count)")
        guard index > 0 else { return 0..<firstByteCount }
        let start = firstByteCount + (index - 1) * size + Swift.min(index - 1, longer)
        return start..<start + size + (index - 1 < longer ? 1 : 0)
    }
}
