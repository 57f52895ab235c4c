/// A painted object that can be placed in frames repeatedly, moved, rotated and bent: a head, a hand.
///
/// It holds code values, not light: a plane of luma and one of its coverage, and the same for chroma at half the size
/// in each direction. Code values are multiplied by the coverage, so that edges stay clean when neighbors are
/// blended. A sprite's texels are finer than the frame's pixels, so that blending does not blur it.
struct Sprite {
    /// The number of luma texels per pixel of the frame, along a row.
    static let fineness: Float = 1.5

    /// The positions of the luma texels in the sprite's own drawing plane; an even number in each direction.
    let grid: Grid
    private(set) var luma: [UInt8]
    private(set) var lumaCoverage: [UInt8]
    private(set) var u: [UInt8]
    private(set) var v: [UInt8]
    private(set) var chromaCoverage: [UInt8]
    private var blocks: SpriteBlocks

    /// The columns and rows of chroma.
    var chromaColumns: Int { grid.columns / 2 }
    var chromaRows: Int { grid.rows / 2 }

    /// Creates a sprite of everything that `painter` paints in `box`, with texels of side `texel`. Each texel is the
    /// mean of `side` x `side` pixels of the canvas.
    init(_ box: Box, texel: Float, side: Int, painter: (inout Canvas) -> Void) {
        let grid = Grid(covering: box, step: texel)
        self.grid = grid
        luma = Array(repeating: 0, count: grid.columns * grid.rows)
        lumaCoverage = luma
        u = Array(repeating: 0, count: grid.columns * grid.rows / 4)
        v = u
        chromaCoverage = u
        blocks = SpriteBlocks(columns: grid.columns, rows: grid.rows)
        grid.paintInBands(side: side, painter) { canvas, firstRow in
            cover(
                Region(columns: 0..<grid.columns, firstRow: firstRow, rowCount: canvas.grid.rows / side), canvas,
                side: side)
        }
        blocks.note(lumaCoverage, chromaCoverage)
    }

    /// Returns the content of a rectangle of luma texels.
    func content(columns: ClosedRange<Int>, rows: ClosedRange<Int>) -> SpriteBlocks.Content {
        blocks.content(columns: columns, rows: rows)
    }

    // MARK: - Changing a part

    /// A rectangle of texels: whole 2x2 squares of them.
    struct Region {
        var columns: Range<Int>
        var firstRow: Int
        var rowCount: Int

        var chromaColumns: Range<Int> { columns.lowerBound / 2..<columns.upperBound / 2 }
        var chromaRows: Range<Int> { firstRow / 2..<(firstRow + rowCount) / 2 }
    }

    /// Returns the texels that touch `box`.
    func region(touching box: Box) -> Region {
        let columns = grid.columns(touching: box)
        let rows = grid.rows(touching: box)
        let firstColumn = columns.lowerBound & ~1
        let firstRow = rows.lowerBound & ~1
        return Region(
            columns: firstColumn..<(columns.upperBound + 1) & ~1, firstRow: firstRow,
            rowCount: ((rows.upperBound + 1) & ~1) - firstRow)
    }

    /// Returns the pixel positions of a canvas that covers `region`, with `side` x `side` pixels per texel.
    func canvasGrid(_ region: Region, side: Int) -> Grid {
        let corner = Point(Float(region.columns.lowerBound), Float(region.firstRow))
        return Grid(
            origin: grid.origin + corner * grid.step, step: grid.step / Float(side),
            columns: region.columns.count * side, rows: region.rowCount * side)
    }

    /// Lays a canvas over the texels of `region`, which it covers exactly, with `side` x `side` of its pixels per
    /// texel.
    mutating func cover(_ region: Region, _ canvas: Canvas, side: Int) {
        for row in stride(from: 0, to: region.rowCount, by: 2) {
            for column in stride(from: 0, to: region.columns.count, by: 2) {
                let a = canvas.codeValues(column: column, row: row, side: side)
                let b = canvas.codeValues(column: column + 1, row: row, side: side)
                let c = canvas.codeValues(column: column, row: row + 1, side: side)
                let d = canvas.codeValues(column: column + 1, row: row + 1, side: side)
                let mean = (a + b + c + d) * 0.25
                guard mean.w > 0 else { continue }
                let index = (region.firstRow + row) * grid.columns + region.columns.lowerBound + column
                coverLuma(index, a)
                coverLuma(index + 1, b)
                coverLuma(index + grid.columns, c)
                coverLuma(index + grid.columns + 1, d)
                coverChroma(
                    (region.firstRow + row) / 2 * chromaColumns + (region.columns.lowerBound + column) / 2, mean)
            }
        }
    }

    private mutating func coverLuma(_ index: Int, _ values: SIMD4<Float>) {
        let rest = 1 - values.w / 255
        luma[index] = UInt8(values.x + Float(luma[index]) * rest + 0.5)
        lumaCoverage[index] = UInt8(values.w + Float(lumaCoverage[index]) * rest + 0.5)
    }

    private mutating func coverChroma(_ index: Int, _ values: SIMD4<Float>) {
        let rest = 1 - values.w / 255
        u[index] = UInt8(values.y + Float(u[index]) * rest + 0.5)
        v[index] = UInt8(values.z + Float(v[index]) * rest + 0.5)
        chromaCoverage[index] = UInt8(values.w + Float(chromaCoverage[index]) * rest + 0.5)
    }

    /// Resets the texels of `region` to those of `original`, a sprite on the same grid.
    mutating func restore(_ region: Region, from original: Sprite) {
        for row in region.firstRow..<region.firstRow + region.rowCount {
            for column in region.columns {
                let index = row * grid.columns + column
                luma[index] = original.luma[index]
                lumaCoverage[index] = original.lumaCoverage[index]
            }
        }
        for row in region.chromaRows {
            for column in region.chromaColumns {
                let index = row * chromaColumns + column
                u[index] = original.u[index]
                v[index] = original.v[index]
                chromaCoverage[index] = original.chromaCoverage[index]
            }
        }
    }

    /// Gives `region` the colors that `original` has elsewhere in the same columns: `far` returns for each position
    /// how far below (in the drawing plane) its color is found.
    mutating func shift(_ region: Region, of original: Sprite, _ far: (Point) -> Float) {
        for row in region.firstRow..<region.firstRow + region.rowCount {
            for column in region.columns {
                let place = grid.centre(column: column, row: row)
                let source = RowPair(Float(row) + far(place) / grid.step, limit: grid.rows)
                luma[row * grid.columns + column] = source.mean(original.luma, column: column, columns: grid.columns)
            }
        }
        for row in region.chromaRows {
            for column in region.chromaColumns {
                let place = grid.origin + Point(Float(2 * column + 1), Float(2 * row + 1)) * grid.step
                let source = RowPair(Float(row) + far(place) / (2 * grid.step), limit: chromaRows)
                let index = row * chromaColumns + column
                u[index] = source.mean(original.u, column: column, columns: chromaColumns)
                v[index] = source.mean(original.v, column: column, columns: chromaColumns)
            }
        }
    }

    /// Two rows, and the distance from the first toward the second, in 1/256.
    private struct RowPair {
        private let above: Int
        private let below: Int
        private let share: Int

        init(_ height: Float, limit: Int) {
            let held = bounded(height, 0, Float(limit - 1))
            above = Int(held)
            below = min(above + 1, limit - 1)
            share = Int((held - Float(above)) * 256)
        }

        func mean(_ plane: [UInt8], column: Int, columns: Int) -> UInt8 {
            let a = Int(plane[above * columns + column])
            let b = Int(plane[below * columns + column])
            return UInt8(truncatingIfNeeded: (a * (256 - share) + b * share + 128) >> 8)
        }
    }
}
