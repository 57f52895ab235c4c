/// A square of pixels of a frame, and where its corners lie among the luma texels of a sprite.
struct Cell {
    /// Pixels along a side; even, so that chroma has whole cells too.
    static let side = 1 << Int(sideBits)
    private static let sideBits: Int32 = 3

    /// The pixels of luma, fewer than ``side`` at the edge of the picture; from even ones on.
    var columns: Range<Int>
    var rows: Range<Int>
    /// The texels at the corners.
    var topLeft: FixedPoint
    var topRight: FixedPoint
    var bottomLeft: FixedPoint
    var bottomRight: FixedPoint

    /// The samples of chroma.
    var chromaColumns: Range<Int> { columns.lowerBound / 2..<(columns.upperBound + 1) / 2 }
    var chromaRows: Range<Int> { rows.lowerBound / 2..<(rows.upperBound + 1) / 2 }

    /// All luma texels that the cell's samples are mixed from, those of chroma included.
    var texelColumns: ClosedRange<Int> {
        Cell.around(topLeft.column, topRight.column, bottomLeft.column, bottomRight.column)
    }
    /// All luma texels that the cell's samples are mixed from, those of chroma included.
    var texelRows: ClosedRange<Int> { Cell.around(topLeft.row, topRight.row, bottomLeft.row, bottomRight.row) }

    private static func around(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> ClosedRange<Int> {
        // A chroma sample on the edge looks at the next two luma texels, and a half is lost in rounding.
        min(a, b, c, d) - 3...max(a, b, c, d) + 3
    }

    /// The texel at the centre of the first pixel of row `y`, and the way to the next pixel's.
    func lumaRow(_ y: Int) -> (position: FixedPoint, step: FixedPoint) {
        let (left, step) = line(halfPixelsDown: 2 * (y - rows.lowerBound) + 1)
        // Centres of pixels here, centres of texels there: half a pixel on, half a texel back.
        return (left &+ (step &>> 1) &- FixedPoint.half, step)
    }

    /// The chroma texel at the centre of the first sample of chroma row `y`, and the way to the next one's.
    func chromaRow(_ y: Int) -> (position: FixedPoint, step: FixedPoint) {
        // Twice as far from one to the next, but in texels twice as large.
        let (left, step) = line(halfPixelsDown: 2 * (2 * y - rows.lowerBound) + 2)
        return (((left &+ step) &>> 1) &- FixedPoint.half, step)
    }

    /// A line across the cell: its place on the left edge, and the way from one pixel to the next.
    private func line(halfPixelsDown halves: Int) -> (FixedPoint, FixedPoint) {
        let down = Int32(truncatingIfNeeded: halves)
        let left = topLeft &+ (((bottomLeft &- topLeft) &* down) &>> (Cell.sideBits + 1))
        let right = topRight &+ (((bottomRight &- topRight) &* down) &>> (Cell.sideBits + 1))
        return (left, (right &- left) &>> Cell.sideBits)
    }
}
