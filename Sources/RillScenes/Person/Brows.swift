import RillCore

/// The brows: a shadow of color, with a few hundred hairs, each a tapered stroke.
struct Brows {
    private let color: RGB
    private let hairs: [Hair]

    private struct Hair {
        var stroke: Stroke
        /// The brightness; 1 is the color itself.
        var shade: Float
    }

    init(color: RGB, seed: UInt64) {
        self.color = color
        var generator = SeededGenerator(seed: seed ^ 0xB_7075)
        hairs = [-1, 1].flatMap { side in
            (0..<220).map { index in Brows.hair(Float(index) / 220, side: side, &generator) }
        }
    }

    /// Creates a hair somewhere in the 220th part of the brow that starts at `start` (0 to 1).
    private static func hair(_ start: Float, side: Float, _ generator: inout SeededGenerator) -> Hair {
        let t = start + generator.between(0, 1) / 220
        let middle = spine.point(at: t)
        let root = middle + Point(generator.between(-0.004, 0.004), halfHeight(t) * generator.between(-0.75, 0.95))
        // Upright near the nose, flat toward the temple.
        let lean = ramp(-0.05, 0.55, t)
        let below = ramp(-0.01, 0.012, root.y - middle.y)
        let way = Point(mix(0.25, 1.0, lean), mix(-0.95, mix(0.32, -0.28, below), lean))
        let reach = way * generator.between(0.020, 0.033) * mix(0.8, 1, lean)
        let bend = root + reach * 0.5 + Point(0, -0.002)
        let mirror = Point(side, 1)
        let stroke = Stroke(root * mirror, bend * mirror, (root + reach) * mirror, radius: 0.0014, to: 0.0004)
        return Hair(stroke: stroke, shade: generator.between(0.55, 1.25))
    }

    func paint(on canvas: inout Canvas) {
        for side: Float in [-1, 1] {
            canvas.tint(Brows.box(side: side)) { p in
                let (t, away) = Brows.position(Point(p.x * side, p.y))
                let d = away / (Brows.halfHeight(t) * 1.5)
                return mix(.clear, mix(RGB(0.55, 0.48, 0.42), color, 0.3), 0.74 * bell(d * d))
            }
        }
        for hair in hairs { canvas.draw(hair.stroke, color * hair.shade, opacity: 0.62) }
    }

    /// The rectangle of one brow; `side` is 1 on the right of the picture, -1 on the left.
    static func box(side: Float) -> Box {
        let a = Point(Face.browStart.x - 0.015, Face.browBend.y + 0.008)
        let b = Point(Face.browEnd.x + 0.02, Face.browEnd.y + 0.022)
        return Box(min(a.x * side, b.x * side), a.y, max(a.x * side, b.x * side), b.y)
    }

    private static let spine = Stroke(Face.browStart, Face.browBend, Face.browEnd, radius: 0)

    private static func halfHeight(_ t: Float) -> Float {
        0.0195 * ramp(-0.30, 0.20, t) * (1 - 0.70 * t * t)
    }

    /// Returns the position of a point along the brow (0 to 1), and its distance from the center line. The brow is a
    /// function of x.
    private static func position(_ p: Point) -> (Float, Float) {
        let t = bounded((p.x - Face.browStart.x) / (Face.browEnd.x - Face.browStart.x))
        let d = p - spine.point(at: t)
        return (t, d.length)
    }
}
