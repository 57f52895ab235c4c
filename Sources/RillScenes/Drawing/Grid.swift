/// The pixel positions of a picture in a drawing plane: squares of side `step`, with the corner of the first one at
/// `origin`.
struct Grid {
    var origin: Point
    var step: Float
    var columns: Int
    var rows: Int

    /// The area that the pixels cover.
    var box: Box {
        let end = centre(column: columns, row: rows) - 0.5 * step
        return Box(origin.x, origin.y, end.x, end.y)
    }

    /// Returns the center of a pixel.
    func centre(column: Int, row: Int) -> Point {
        origin + Point(Float(column) + 0.5, Float(row) + 0.5) * step
    }

    /// Returns the columns whose pixels touch `box`.
    func columns(touching box: Box) -> Range<Int> {
        Grid.range((box.low.x - origin.x) / step, (box.high.x - origin.x) / step, limit: columns)
    }

    /// Returns the rows whose pixels touch `box`.
    func rows(touching box: Box) -> Range<Int> {
        Grid.range((box.low.y - origin.y) / step, (box.high.y - origin.y) / step, limit: rows)
    }

    private static func range(_ from: Float, _ to: Float, limit: Int) -> Range<Int> {
        let low = Int(bounded(from, 0, Float(limit)))
        let high = Int(bounded(to + 1, 0, Float(limit)))
        return low..<max(low, high)
    }
}

extension Grid {
    /// Creates the smallest grid with that step that covers `box`, with an even number of columns and rows.
    init(covering box: Box, step: Float) {
        let size = (box.high - box.low) / step
        self.init(origin: box.low, step: step, columns: 2 * Int(size.x / 2 + 1), rows: 2 * Int(size.y / 2 + 1))
    }

    /// Paints in bands of a few rows, so that a picture of any size takes the memory of one band.
    ///
    /// - Parameters:
    ///   - side: the number of canvas pixels per pixel of this grid, along a row and along a column.
    ///   - painter: paints the whole picture, once per band.
    ///   - done: receives a finished band, with the first row of this grid that it covers.
    func paintInBands(side: Int, _ painter: (inout Canvas) -> Void, done: (Canvas, _ firstRow: Int) -> Void) {
        let bandRows = 16
        var canvas = Canvas(band(0..<min(bandRows, rows), side: side))
        for firstRow in stride(from: 0, to: rows, by: bandRows) {
            canvas.move(to: band(firstRow..<min(firstRow + bandRows, rows), side: side))
            painter(&canvas)
            done(canvas, firstRow)
        }
    }

    private func band(_ band: Range<Int>, side: Int) -> Grid {
        Grid(
            origin: origin + Point(0, Float(band.lowerBound) * step), step: step / Float(side),
            columns: columns * side, rows: band.count * side)
    }
}

/// Returns how many canvas pixels to paint per texel, along a row, in a drawing plane whose unit is about the size of
/// the picture. Small pictures are painted at a higher resolution, so that thin lines stay lines and print becomes
/// gray instead of gritty.
func supersampling(texel: Float) -> Int {
    let enough: Float = 240
    return max(1, min(16, Int((enough * texel).rounded(.up))))
}
