/// Where each row of a mask is not 0: from its first vector to its last, so that what lies outside of a face and its hands is
/// not looked at again.
final class MaskSpans {
    private var rows: [RowSpans]

    private struct RowSpans {
        /// Where the mask is not 0, and where it or the mask before is not.
        var here, touched: Range<Int>
    }

    /// Spans of a mask of so many rows, none yet.
    init(height: Int) {
        rows = [RowSpans](repeating: RowSpans(here: 0..<0, touched: 0..<0), count: height)
    }

    /// Looks at a mask of that height.
    func find(in mask: borrowing CellPlane) { MaskSpans.find(in: mask, &rows) }

    // One access to the rows for all of them: each costs as much as looking at a row.
    private static func find(in mask: borrowing CellPlane, _ rows: inout [RowSpans]) {
        for y in 0..<mask.height {
            let row = mask.row(y)
            var (first, end) = (0, mask.vectorCount)
            while first < end, row[bytes: 16 &* first].isZero { first &+= 1 }
            while end > first, row[bytes: 16 &* (end &- 1)].isZero { end &-= 1 }
            rows[y] = RowSpans(here: first..<end, touched: union(rows[y].here, first..<end))
        }
    }

    /// The vectors of row `y`, none where all of it is 0.
    subscript(y: Int) -> Range<Int> { rows[y].here }

    /// The vectors of row `y`, and those of the mask before: what is to be written anew in a plane that began with zeros and is
    /// to be 0 outside of the mask.
    func touched(_ y: Int) -> Range<Int> { rows[y].touched }

    /// The vectors that a row of pixels needs which is made of two rows of cells: those of both, and one more on each side for
    /// the neighbours; none where both are empty.
    func around(_ near: Int, _ far: Int) -> Range<Int> { MaskSpans.around(rows[near].here, rows[far].here) }

    /// The same of what is to be written anew.
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
