/// Glasses: a dark rim around each lens, a bridge, and the lenses' effect on the light.
struct Glasses {
    private static let rim: Float = 0.0068
    private static let color = RGB(srgb: 0x2B2523)

    func paint(on canvas: inout Canvas) {
        for side: Float in [-1, 1] {
            paintShadow(side, on: &canvas)
            paintLens(side, on: &canvas)
            let temple = Stroke(
                Point(0.258, -0.022) * Point(side, 1), Point(0.30, -0.024) * Point(side, 1),
                Point(0.345, -0.018) * Point(side, 1), radius: 0.0075, to: 0.0060)
            canvas.draw(temple, Glasses.color * 0.8)
        }
        let bridge = Stroke(Point(-0.046, -0.010), Point(0, -0.034), Point(0.046, -0.010), radius: 0.0058)
        canvas.draw(bridge, Glasses.color * 1.1)
    }

    /// Returns the distance from a lens's edge, negative inside. The lens is rounder at the bottom than at the top.
    private static func lens(_ p: Point, _ side: Float) -> Float {
        let q = Point(p.x * side, p.y)
        let box = Box(0.042, -0.072, 0.254, 0.090)
        return roundedBox(Point(q.x - 0.10 * (q.y - 0.01) * (q.x - 0.148), q.y), box, radius: 0.062)
    }

    private static func box(_ side: Float) -> Box { Box(centre: Point(0.148 * side, 0.015), radii: Point(0.14, 0.13)) }

    private func paintShadow(_ side: Float, on canvas: inout Canvas) {
        canvas.tint(Glasses.box(side)) { p in
            let fromRim = abs(Glasses.lens(p - Point(0.012, 0.018), side)) / 0.016
            return mix(.clear, RGB(0.72, 0.66, 0.64), bell(fromRim * fromRim))
        }
    }

    private func paintLens(_ side: Float, on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        canvas.paint(Glasses.box(side)) { p in
            let distance = Glasses.lens(p, side)
            // The reflection of the window, as a faint slanted streak on the glass.
            let slanted = p.x + 0.55 * p.y - 0.148 * side
            let streak =
                ramp(0.052, 0.060, slanted) * ramp(0.085, 0.077, slanted) + 0.6 * ramp(0.092, 0.096, slanted)
                * ramp(0.104, 0.100, slanted)
            let glass = Paint(RGB(0.85, 0.90, 0.95), coverage: 0.16 * streak * coverage(distance, pixel))
            // A round rim: light along its upper edge.
            let across = distance / Glasses.rim
            let shine = 0.20 * bell((across - 0.25) * (across - 0.25) * 9) * ramp(0.02, -0.06, p.y)
            let bar = coverage(abs(distance) - Glasses.rim, max(pixel, 0.002))
            let frame = Paint(Glasses.color * (0.9 + 0.25 * across) + shine, coverage: bar)
            return frame + glass * (1 - bar)
        }
    }
}
