/// The range of vectors in each row where a mask is not 0, from the first to the last. Areas outside of faces and
/// hands are not processed again.
final class MaskSpans {
    private var rows: [RowSpans]

    private struct RowSpans {
        /// Where the mask is not 0, and where it or the previous mask is not 0.
        var here, touched: Range<Int>
    }

    /// Creates empty spans for a mask of that many rows.
    init(height: Int) {
        rows = [RowSpans](repeating: RowSpans(here: 0..<0, touched: 0..<0), count: height)
    }

    /// Finds the spans of a mask of that height.
    func find(in mask: borrowing CellPlane) { MaskSpans.find(in: mask, &rows) }

    // A single access to `rows` for all of them: each access costs as much as processing a row.
    private static func find(in mask: borrowing CellPlane, _ rows: inout [RowSpans]) {
        for y in 0..<mask.height {
            let row = mask.row(y)
            var (first, end) = (0, mask.vectorCount)
            while first < end, row[bytes: 16 &* first].isZero { first &+= 1 }
            while end > first, row[bytes: 16 &* (end &- 1)].isZero { end &-= 1 }
            rows[y] = RowSpans(here: first..<end, touched: union(rows[y].here, first..<end))
        }
    }

    /// The vectors of row `y`; none if it is all 0.
    subscript(y: Int) -> Range<Int> { rows[y].here }

    /// Returns the vectors of row `y` in this mask or the previous one. They must be rewritten in a plane that
    /// started with zeros and must be 0 outside of the mask.
    func touched(_ y: Int) -> Range<Int> { rows[y].touched }

    /// Returns the vectors that a row of pixels between two rows of cells needs: those of both, and one more on each
    /// side for the neighbors; none if both are empty.
    func around(_ near: Int, _ far: Int) -> Range<Int> { MaskSpans.around(rows[near].here, rows[far].here) }

    /// Returns the same for the vectors that must be rewritten.
    func touchedAround(_ near: Int, _ far: Int) -> Range<Int> {
        MaskSpans.around(rows[near].touched, rows[far].touched)
    }

    private static func around(_ a: Range<Int>, _ b: Range<Int>) -> Range<Int> {
        let both = union(a, b)
        return both.isEmpty ? both : max(0, both.lowerBound - 1)..<both.upperBound + 1
    }

    private static func union(_ a: Range<Int>, _ b: Range<Int>) -> Range<Int> {
        guard !a.isEmpty else { return b }
        guard !b.isEmpty else { return a }
        return min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
    }
}
