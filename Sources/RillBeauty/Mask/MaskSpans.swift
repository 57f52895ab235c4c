/// Where each row of a mask is not 0: from its first vector to its last, so that what lies outside of a face and its hands is
/// not looked at again.
final class MaskSpans {
    private var spans: [Range<Int>]

    init(height: Int) {
        spans = [Range<Int>](repeating: 0..<0, count: height)
    }

    /// Looks at a mask of that height.
    func find(in mask: borrowing CellPlane) {
        for y in 0..<mask.height {
            let row = mask.row(y)
            var (first, end) = (0, mask.vectorCount)
            while first < end, row[bytes: 16 &* first].isZero { first &+= 1 }
            while end > first, row[bytes: 16 &* (end &- 1)].isZero { end &-= 1 }
            spans[y] = first..<end
        }
    }

    /// The vectors of row `y`, none where all of it is 0.
    subscript(y: Int) -> Range<Int> { spans[y] }

    /// The vectors that a row of pixels needs which is made of two rows of cells: those of both, and one more on each side for
    /// the neighbours; none where both are empty.
    func around(_ near: Int, _ far: Int) -> Range<Int> {
        let (a, b) = (spans[near], spans[far])
        guard !a.isEmpty || !b.isEmpty else { return 0..<0 }
        let first = min(a.isEmpty ? b.lowerBound : a.lowerBound, b.isEmpty ? a.lowerBound : b.lowerBound)
        return max(0, first - 1)..<max(a.upperBound, b.upperBound) + 1
    }
}
