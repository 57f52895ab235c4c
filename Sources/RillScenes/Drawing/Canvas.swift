/// A rectangle of a drawing plane that is being painted: one ``Paint`` per pixel, in linear light.
///
/// ```swift
/// canvas.paint(Box(0, 0, 1, 1)) { p in Paint(red, coverage: coverage(p.length - 0.4, canvas.pixelSize)) }
/// ```
///
/// Painters use two operations: ``paint(_:_:)`` lays a color over the canvas, and ``tint(_:_:)`` filters what is
/// there (shadows, blushes, glazes). Large pictures are painted in bands of rows, by the same painter once per band.
/// What is outside of the band costs nothing.
struct Canvas {
    /// The positions of the pixels.
    private(set) var grid: Grid
    private var pixels: [Paint]

    /// Creates an empty canvas.
    init(_ grid: Grid) {
        self.grid = grid
        pixels = Array(repeating: .zero, count: grid.columns * grid.rows)
    }

    /// The side of a pixel in units of the drawing plane. It determines how soft an edge must be, and which detail is
    /// too fine.
    var pixelSize: Float { grid.step }

    /// Clears the canvas and moves it, in the same memory. The number of pixels must not grow.
    mutating func move(to grid: Grid) {
        precondition(grid.columns * grid.rows <= pixels.count)
        self.grid = grid
        clear()
    }

    /// Clears the canvas.
    mutating func clear() {
        for index in 0..<grid.columns * grid.rows { pixels[index] = .zero }
    }

    /// Lays `shader`'s paint over each pixel that touches `box`.
    @inline(__always)
    mutating func paint(_ box: Box, _ shader: (Point) -> Paint) {
        let columns = grid.columns(touching: box)
        for row in grid.rows(touching: box) {
            for column in columns {
                let paint = shader(grid.centre(column: column, row: row))
                guard paint.w > 0 else { continue }
                let index = row * grid.columns + column
                pixels[index] = paint + pixels[index] * (1 - paint.w)
            }
        }
    }

    /// Multiplies each pixel that touches `box` by `filter`'s share of each primary.
    @inline(__always)
    mutating func tint(_ box: Box, _ filter: (Point) -> RGB) {
        let columns = grid.columns(touching: box)
        for row in grid.rows(touching: box) {
            for column in columns {
                let index = row * grid.columns + column
                guard pixels[index].w > 0 else { continue }
                pixels[index] *= SIMD4(filter(grid.centre(column: column, row: row)), 1)
            }
        }
    }

    /// Draws a stroke in one color.
    mutating func draw(_ stroke: Stroke, _ color: RGB, opacity: Float = 1) {
        let pixel = pixelSize
        // A stroke thinner than a pixel is painted one pixel wide and correspondingly fainter.
        let widest = 2 * max(stroke.startRadius, stroke.endRadius)
        let fainter = min(1, widest / pixel)
        var drawn = stroke
        drawn.startRadius = max(stroke.startRadius, 0.35 * pixel * stroke.startRadius * 2 / widest)
        drawn.endRadius = max(stroke.endRadius, 0.35 * pixel * stroke.endRadius * 2 / widest)
        paint(drawn.box.grown(by: pixel)) { p in
            Paint(color, coverage: opacity * fainter * coverage(drawn.distance(to: p), pixel))
        }
    }

    /// Darkens (or reddens…) along a stroke: by `filter` on its line, fading out over `width` on either side.
    mutating func shade(_ stroke: Stroke, width: Float, _ filter: RGB) {
        tint(stroke.box.grown(by: width)) { p in
            let away = max(0, stroke.distance(to: p)) / width
            return mix(.clear, filter, bell(away * away))
        }
    }

    /// Returns the mean paint of a square of `side` pixels, as code values times coverage (see ``Paint/codeValues``).
    func codeValues(column: Int, row: Int, side: Int) -> SIMD4<Float> {
        if side == 1 { return pixels[row * grid.columns + column].codeValues }
        var sum = Paint.zero
        for y in row * side..<(row + 1) * side {
            for x in column * side..<(column + 1) * side { sum += pixels[y * grid.columns + x] }
        }
        return (sum / Float(side * side)).codeValues
    }
}
