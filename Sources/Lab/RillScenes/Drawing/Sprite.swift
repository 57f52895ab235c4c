import RillCore

/// A picture of code values, painted once, that is drawn at any place, size and angle.
struct Sprite {
    /// Y, U, V and 255, each times the coverage.
    private(set) var texels: [SIMD4<Float>]
    private let box: Box
    private let step: Float
    private let width, height: Int

    /// Paints a sprite.
    ///
    /// - Parameters:
    ///   - box: what it shows of the plane in which it is painted.
    ///   - step: the side of a texel in that plane.
    ///   - painter: what is at a point of the plane.
    init(_ box: Box, step: Float, painter: (Point) -> Paint) {
        (self.box, self.step) = (box, step)
        width = max(2, Int((box.high.x - box.low.x) / step) + 1)
        height = max(2, Int((box.high.y - box.low.y) / step) + 1)
        texels = Array(repeating: .zero, count: width * height)
        paint(box, painter)
    }

    /// Paints a part of it again.
    mutating func paint(_ part: Box, _ painter: (Point) -> Paint) {
        func range(_ low: Float, _ high: Float, _ count: Int) -> Range<Int> {
            let start = max(0, Int(low / step))
            return start..<max(start, min(count, Int(high / step) + 2))
        }
        let columns = range(part.low.x - box.low.x, part.high.x - box.low.x, width)
        for y in range(part.low.y - box.low.y, part.high.y - box.low.y, height) {
            for x in columns {
                texels[y * width + x] = painter(box.low + Point(Float(x), Float(y)) * step).codeValues
            }
        }
    }

    /// The value at a point, between the nearest four texels; nothing outside.
    private func value(_ texels: Span<SIMD4<Float>>, _ p: Point) -> SIMD4<Float> {
        let q = (p - box.low) / step
        guard q.x >= 0, q.y >= 0, q.x < Float(width - 1), q.y < Float(height - 1) else { return .zero }
        let (x, y) = (Int(q.x), Int(q.y))
        let (t, s) = (q.x - Float(x), q.y - Float(y))
        let start = y * width + x
        let top = texels[start] * (1 - t) + texels[start + 1] * t
        let bottom = texels[start + width] * (1 - t) + texels[start + width + 1] * t
        return top * (1 - s) + bottom * s
    }

    /// Draws it. `place` converts a position in the picture, in pixels, to the sprite's plane.
    func draw(in area: PixelRect, of planes: inout MutablePlanes, _ place: (Point) -> Point) {
        guard !area.isEmpty else { return }
        let texels = self.texels.span
        func draw(_ plane: inout MutablePlane, _ channel: Int, _ scale: Int) {
            let (columns, rows) = (area.columns, area.rows)
            func start(_ x: Int, _ y: Int) -> Point { place(Point(Float(x) + 0.5, Float(y) + 0.5) * Float(scale)) }
            let left = columns.lowerBound / scale
            for y in rows.lowerBound / scale..<min(plane.height, (rows.upperBound + scale - 1) / scale) {
                var row = plane.row(y)
                var (p, across) = (Point.zero, Point.zero)
                for x in left..<min(row.count, (columns.upperBound + scale - 1) / scale) {
                    // Between every eighth pixel the way is straight.
                    if (x - left) & 7 == 0 {
                        p = start(x, y)
                        across = (start(x + 8, y) - p) / 8
                    }
                    let value = self.value(texels, p)
                    p += across
                    if value.w > 0 {
                        let sum = Float(row[x]) * (255 - value.w) / 255 + value[channel]
                        row[x] = UInt8(bounded(sum + 0.5, 0, 255))
                    }
                }
            }
        }
        draw(&planes.y, 0, 1)
        draw(&planes.u, 1, 2)
        draw(&planes.v, 2, 2)
    }
}
