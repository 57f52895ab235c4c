/// How a frame is split into packets: as few pieces as the limit allows, of nearly equal size.
///
/// Sizes differ by at most one byte, with the longer pieces first. Packets of equal size have equal chances of being
/// lost and leave a paced link evenly; a tiny last packet would cost a whole header.
///
/// ```swift
/// Array(FrameSplit(byteCount: 10, maximumPieceByteCount: 4))  // [0..<4, 4..<7, 7..<10]
/// ```
///
/// If the first packet carries additional data (VP9's scalability structure), its piece is shorter by that size, so
/// that the packets still have equal size. Only if that data exceeds an equal share does the first packet differ from
/// the others.
public struct FrameSplit: RandomAccessCollection, Equatable, Sendable {
    /// The size of the frame in bytes.
    public let byteCount: Int
    /// The number of pieces; 0 for an empty frame.
    public let count: Int
    private let firstByteCount: Int
    /// The pieces after the first: `longer` of them have one byte more than `size`.
    private let size: Int
    private let longer: Int

    /// Splits a frame into pieces.
    ///
    /// - Parameters:
    ///   - byteCount: the size of the frame in bytes, 0 or more.
    ///   - limit: the maximum size of a piece in bytes.
    ///   - reservation: the bytes to leave free in the first piece, 0 or more. Traps unless `limit` is greater.
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

    /// The index of the first piece: 0.
    public var startIndex: Int { 0 }
    /// The index after the last piece: `count`.
    public var endIndex: Int { count }

    /// The range of piece `index` in the frame. Traps unless `index` is in range.
    public subscript(index: Int) -> Range<Int> {
        precondition(index >= 0 && index < count, "piece \(index) of \(count)")
        guard index > 0 else { return 0..<firstByteCount }
        let start = firstByteCount + (index - 1) * size + Swift.min(index - 1, longer)
        return start..<start + size + (index - 1 < longer ? 1 : 0)
    }
}
