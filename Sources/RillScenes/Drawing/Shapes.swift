// Shapes are signed distances: negative inside, positive outside, in units of the drawing plane.

/// Returns how much of a pixel of that size a shape covers whose edge is at that distance: an anti-aliased edge.
func coverage(_ distance: Float, _ pixelSize: Float) -> Float { bounded(0.5 - distance / pixelSize) }

/// A rectangle with rounded corners.
func roundedBox(_ p: Point, _ box: Box, radius: Float) -> Float {
    let half = (box.high - box.low) * 0.5
    let d = p - box.centre
    let q = Point(abs(d.x), abs(d.y)) - half + radius
    let outside = Point(max(q.x, 0), max(q.y, 0)).length
    return outside + min(max(q.x, q.y), 0) - radius
}

/// An ellipse. The distance is exact on the edge and approximate around it.
func ellipse(_ p: Point, _ centre: Point, _ radii: Point) -> Float {
    let q = (p - centre) / radii
    let r = q.length
    let gradient = (q / radii).length
    return gradient < 1e-6 ? -min(radii.x, radii.y) : r * (r - 1) / gradient
}

/// A rod with round ends from `a` to `b`, whose radius goes from `ra` to `rb`.
func capsule(_ p: Point, _ a: Point, _ b: Point, _ ra: Float, _ rb: Float) -> Float {
    let pa = p - a
    let ba = b - a
    let t = bounded((pa.x * ba.x + pa.y * ba.y) / max(ba.x * ba.x + ba.y * ba.y, 1e-12))
    return (pa - ba * t).length - mix(ra, rb, t)
}

/// Merges two shapes smoothly; `softness` is how far the blend reaches from the seam.
func melt(_ a: Float, _ b: Float, _ softness: Float) -> Float {
    let h = max(softness - abs(a - b), 0) / softness
    return min(a, b) - h * h * softness * 0.25
}

/// A stroke of a pen or brush: a curve from one point to another, whose width may change.
struct Stroke {
    /// A quadratic Bézier curve: start, control point and end.
    var start: Point
    var bend: Point
    var end: Point
    /// The radius at the start and at the end.
    var startRadius: Float
    var endRadius: Float

    init(_ start: Point, _ bend: Point, _ end: Point, radius startRadius: Float, to endRadius: Float? = nil) {
        self.start = start
        self.bend = bend
        self.end = end
        self.startRadius = startRadius
        self.endRadius = endRadius ?? startRadius
    }

    var box: Box {
        Box(centre: start, radii: .zero).including(bend).including(end).grown(by: max(startRadius, endRadius))
    }

    func point(at t: Float) -> Point {
        let a = start + (bend - start) * t
        let b = bend + (end - bend) * t
        return a + (b - a) * t
    }

    /// Returns the signed distance of the stroke, approximating its curve by `pieces` straight lines.
    func distance(to p: Point, pieces: Int = 4) -> Float {
        var nearest = Float.infinity
        var from = start
        var fromRadius = startRadius
        let widening = (endRadius - startRadius) / Float(pieces)
        var steps = Steps(self, pieces)
        for _ in 0..<pieces {
            let to = steps.next()
            nearest = min(nearest, capsule(p, from, to, fromRadius, fromRadius + widening))
            from = to
            fromRadius += widening
        }
        return nearest
    }

    /// Returns the position of `p` along the stroke, from 0 to 1, and its distance from the center line: positive to
    /// the right, seen along the stroke.
    func place(of p: Point, pieces: Int) -> (along: Float, across: Float) {
        var nearest: (along: Float, across: Float) = (0, .infinity)
        var from = start
        var steps = Steps(self, pieces)
        for piece in 0..<pieces {
            let to = steps.next()
            let d = to - from
            let q = p - from
            let t = bounded((q.x * d.x + q.y * d.y) / max(d.x * d.x + d.y * d.y, 1e-12))
            let away = (q - d * t).length
            if away < nearest.across.magnitude {
                nearest = ((Float(piece) + t) / Float(pieces), d.x * q.y < d.y * q.x ? -away : away)
            }
            from = to
        }
        return nearest
    }

    /// The points of the curve at equal steps of `t`, with two additions each.
    private struct Steps {
        private var point: Point
        private var step: Point
        private let change: Point

        init(_ stroke: Stroke, _ pieces: Int) {
            let h = 1 / Float(pieces)
            let curvature = (stroke.start - stroke.bend * 2 + stroke.end) * (h * h)
            point = stroke.start
            step = (stroke.bend - stroke.start) * (2 * h) + curvature
            change = curvature * 2
        }

        mutating func next() -> Point {
            point += step
            step += change
            return point
        }
    }
}
