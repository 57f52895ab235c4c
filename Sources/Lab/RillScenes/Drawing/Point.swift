/// A point or a direction in a drawing plane: x to the right, y down.
typealias Point = SIMD2<Float>

extension Point {
    /// The distance from the origin.
    var length: Float { (x * x + y * y).squareRoot() }

    /// Returns the point rotated clockwise (with y down) by an angle with the given cosine and sine.
    func turned(cosine: Float, sine: Float) -> Point { Point(x * cosine - y * sine, x * sine + y * cosine) }
}

/// A rectangle in a drawing plane.
struct Box {
    var low: Point
    var high: Point

    init(_ minX: Float, _ minY: Float, _ maxX: Float, _ maxY: Float) {
        low = Point(minX, minY)
        high = Point(maxX, maxY)
    }

    init(centre: Point, radii: Point) {
        low = centre - radii
        high = centre + radii
    }

    /// Returns the rectangle enlarged by `margin` on each side.
    func grown(by margin: Float) -> Box { Box(low.x - margin, low.y - margin, high.x + margin, high.y + margin) }

    /// Returns the smallest rectangle that contains this one after it is moved, rotated and bent by `map`.
    func mapped(_ map: (Point) -> Point) -> Box {
        var result = Box(centre: map(centre), radii: .zero)
        for quarter in 0...4 {
            let t = Float(quarter) * 0.25
            let x = mix(low.x, high.x, t)
            let y = mix(low.y, high.y, t)
            result = result.including(map(Point(x, low.y))).including(map(Point(x, high.y)))
                .including(map(Point(low.x, y))).including(map(Point(high.x, y)))
        }
        return result
    }

    /// Returns the smallest rectangle that contains this one and `p`.
    func including(_ p: Point) -> Box {
        Box(min(low.x, p.x), min(low.y, p.y), max(high.x, p.x), max(high.y, p.y))
    }

    var centre: Point { (low + high) * 0.5 }

    /// Returns the distance of `p` from its edge, negative inside: the larger of both directions.
    func distance(_ p: Point) -> Float {
        max(max(low.x - p.x, p.x - high.x), max(low.y - p.y, p.y - high.y))
    }
}

/// A rectangle of pixels of a frame.
package struct PixelRect: Hashable, Sendable {
    /// The columns of luma.
    package var columns: Range<Int>
    /// The rows of luma.
    package var rows: Range<Int>

    package init(columns: Range<Int>, rows: Range<Int>) {
        self.columns = columns
        self.rows = rows
    }

    /// Whether it contains no pixel.
    package var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
}
