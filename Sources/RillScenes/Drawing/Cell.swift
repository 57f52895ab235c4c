/// A square of pixels of a frame, with the positions of its corners in the luma texels of a sprite.
struct Cell {
    /// The number of pixels along a side; even, so that chroma has whole cells too.
    static let side = 1 << Int(sideBits)
    private static let sideBits: Int32 = 3

    /// The pixels of luma, starting at even ones. There are fewer than ``side`` at the edge of the picture.
    var columns: Range<Int>
    var rows: Range<Int>
    /// The texel positions of the corners.
    var topLeft: FixedPoint
    var topRight: FixedPoint
    var bottomLeft: FixedPoint
    var bottomRight: FixedPoint

    /// The samples of chroma.
    var chromaColumns: Range<Int> { columns.lowerBound / 2..<(columns.upperBound + 1) / 2 }
    var chromaRows: Range<Int> { rows.lowerBound / 2..<(rows.upperBound + 1) / 2 }

    /// All luma texels that contribute to the cell's samples, including chroma.
    var texelColumns: ClosedRange<Int> {
        Cell.around(topLeft.column, topRight.column, bottomLeft.column, bottomRight.column)
    }
    /// All luma texels that contribute to the cell's samples, including chroma.
    var texelRows: ClosedRange<Int> { Cell.around(topLeft.row, topRight.row, bottomLeft.row, bottomRight.row) }

    private static func around(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> ClosedRange<Int> {
        // A chroma sample on the edge reads the next two luma texels, and rounding loses a half.
        min(a, b, c, d) - 3...max(a, b, c, d) + 3
    }

    /// Returns the texel at the center of the first pixel of row `y`, and the step to the next pixel.
    func lumaRow(_ y: Int) -> (position: FixedPoint, step: FixedPoint) {
        let (left, step) = line(halfPixelsDown: 2 * (y - rows.lowerBound) + 1)
        // Pixel centers to texel centers: half a pixel forward, half a texel back.
        return (left &+ (step &>> 1) &- FixedPoint.half, step)
    }

    /// Returns the chroma texel at the center of the first sample of chroma row `y`, and the step to the next sample.
    func chromaRow(_ y: Int) -> (position: FixedPoint, step: FixedPoint) {
        // Twice the distance from one to the next, but in texels of twice the size.
        let (left, step) = line(halfPixelsDown: 2 * (2 * y - rows.lowerBound) + 2)
        return (((left &+ step) &>> 1) &- FixedPoint.half, step)
    }

    /// Returns a line across the cell: its position on the left edge, and the step from one pixel to the next.
    private func line(halfPixelsDown halves: Int) -> (FixedPoint, FixedPoint) {
        let down = Int32(truncatingIfNeeded: halves)
        let left = topLeft &+ (((bottomLeft &- topLeft) &* down) &>> (Cell.sideBits + 1))
        let right = topRight &+ (((bottomRight &- topRight) &* down) &>> (Cell.sideBits + 1))
        return (left, (right &- left) &>> Cell.sideBits)
    }
}
