/// A point or a direction in a drawing plane: x to the right, y down.
typealias Point = SIMD2<Float>

extension Point {
    /// The distance from the origin.
    var length: Float { (x * x + y * y).squareRoot() }

    /// Returns the point rotated clockwise (with y down) by an angle with the given cosine and sine.
    func turned(cosine: Float, sine: Float) -> Point { Point(x * cosine - y * sine, x * sine + y * cosine) }
}

/// Returns the dot product of two directions in space; for unit vectors, the cosine between them.
func dot(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

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

    /// Returns the part that is also in `other`; flat if there is none.
    func intersection(_ other: Box) -> Box {
        let low = Point(max(self.low.x, other.low.x), max(self.low.y, other.low.y))
        return Box(low.x, low.y, max(low.x, min(high.x, other.high.x)), max(low.y, min(high.y, other.high.y)))
    }

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
}
