/// An eye that moves: its lids open and close, and it looks around.
///
/// The head's sprite holds the skin of closed lids. The slit between them is painted over it: the white, the iris,
/// and the lashes at the edge of the upper lid. A blink is a slit that narrows.
struct Eye {
    /// 1 for the eye on the right of the picture, -1 for the one on the left.
    let side: Float
    private let iris: RGB
    private let white: RGB
    private let fibres: ValueNoise

    /// The area that moves with the lids.
    var box: Box {
        Box(centre: centre + Point(0, -0.002), radii: Point(Face.eyeHalfWidth + 0.022, 0.050))
    }

    private var centre: Point { Face.eye * Point(side, 1) }

    init(side: Float, tone: SkinTone, seed: UInt64) {
        self.side = side
        iris = mix(RGB(srgb: 0x4A2E1D), RGB(srgb: 0x5F7F86), ramp(4.5, 2.5, Float(tone.number)))
        white = mix(RGB(0.46, 0.41, 0.37), RGB(0.60, 0.56, 0.53), ramp(0, 0.5, RGB(srgb: tone.srgb).luminance))
        fibres = ValueNoise(seed: seed, 7)
    }

    /// A position at the eye.
    private struct Place {
        /// The position from the middle of the slit, outward and down (head heights).
        var p: Point
        /// The position along the slit: -1 in the inner corner, 1 in the outer one.
        var u: Float
        /// The edges of the lids here, as distances below the middle of the slit.
        var upper: Float
        var lower: Float

        init(_ p: Point, opening: Float) {
            self.p = p
            u = p.x / Face.eyeHalfWidth
            let rest = max(0, 1 - u * u)
            let corners = -0.005 * u
            // The upper lid is highest slightly inside of the middle, the lower one lowest slightly outside.
            let high = corners - 0.0325 * (0.55 * rest + 0.45 * rest.squareRoot()) * (1 - 0.12 * u)
            let low = corners + 0.0190 * (0.75 * rest + 0.25 * rest.squareRoot()) * (1 + 0.15 * u)
            upper = mix(low - 0.0015, high, opening)
            lower = mix(low, low - 0.003, 1 - opening)
        }
    }

    func paint(on canvas: inout Canvas, _ expression: Head.Expression) {
        let pixel = canvas.pixelSize
        let gaze = expression.gaze * Point(side, 1)
        canvas.paint(box) { p in
            let place = Place((p - centre) * Point(side, 1), opening: expression.eyeOpening)
            var paint = lids(place, opening: expression.eyeOpening)
            let outside = max(place.upper - place.p.y, place.p.y - place.lower)
            let open = coverage(outside, max(pixel, 0.0028)) * ramp(1.02, 0.97, abs(place.u))
            if open > 0 { paint = Paint(ball(place, gaze, pixel), coverage: open) + paint * (1 - open) }
            let lash = lashes(place, pixel)
            return Paint(RGB(0.012, 0.009, 0.008), coverage: lash) + paint * (1 - lash)
        }
    }

    /// Returns the effect of the lids on the skin: the crease above the open one, the edge of the lower one.
    private func lids(_ place: Place, opening: Float) -> Paint {
        let inner = Point(place.p.x * 0.92, 0)
        let fromCrease = (place.p.y - Place(inner, opening: 1).upper + 0.0125 + 0.003 * place.u) / 0.0065
        let crease = bell(fromCrease * fromCrease) * ramp(1.25, 0.85, abs(place.u)) * 0.50 * opening
        let fromEdge = (place.p.y - place.lower) / 0.008
        let edge = bell(fromEdge * fromEdge) * ramp(1.10, 0.80, abs(place.u)) * 0.35
        return Paint(RGB(0.10, 0.045, 0.035), coverage: min(0.9, crease + edge))
    }

    /// Returns the eyeball: white, iris and pupil, with the effects of the lids and the window.
    private func ball(_ place: Place, _ gaze: Point, _ pixel: Float) -> RGB {
        let fromIris = place.p - Point(-0.002, -0.0035) - gaze
        let r = fromIris.length / Face.irisRadius
        let softness = max(0.14, 1.5 * pixel / Face.irisRadius)

        // The ball is round: darker toward both corners. The inner corner holds the pink caruncle.
        var color = mix(white, RGB(0.55, 0.33, 0.30), ramp(-0.72, -0.98, place.u)) * (1 - 0.45 * place.u * place.u)
        let direction = fromIris / max(fromIris.length, 1e-5)
        let fibre = fibres(direction * 9 + r * 1.5) * visibility(period: 0.009, pixel)
        let ring = iris * (0.55 + 0.75 * ramp(0.95, 0.45, r) + 0.30 * fibre) * ramp(1.08, 0.80, r) + 0.01
        color = mix(color, ring, ramp(1 + softness, 1 - softness, r))
        color = mix(color, RGB(0.006, 0.005, 0.005), ramp(0.42 + softness, 0.42 - softness * 0.5, r))
        // The upper lid casts a shadow; along the lower one it is wet.
        color *= mix(0.34, 1, ramp(-0.001, 0.015, place.p.y - place.upper))
        color *= mix(0.75, 1, ramp(0, 0.006, place.lower - place.p.y))
        // The reflection of the window in the cornea, and faintly of the room.
        let seen = fromIris * Point(side, 1)
        let window = roundedBox(seen, Box(-0.0145, -0.0150, -0.0040, -0.0060), radius: 0.002)
        color += RGB(0.92, 0.95, 1.0) * coverage(window, max(pixel, 0.002)) * 0.9
        return color + RGB(0.07, 0.07, 0.08) * bell(seen, Point(0.009, 0.010), Point(0.011, 0.009))
    }

    /// Returns how much of a point the lashes cover.
    private func lashes(_ place: Place, _ pixel: Float) -> Float {
        let u = place.u
        guard abs(u) < 1.25 else { return 0 }
        // The dark edge of the upper lid is thicker toward the outside, and ends beyond the corner.
        let line = (place.p.y - place.upper) / max(0.0036 + 0.0018 * u, 0.7 * pixel)
        let edge = bell(line * line * 0.5) * ramp(1.12, 0.9, abs(u)) * 0.92
        // Individual lashes, each slightly different, leaning outward; a haze where they are too fine for the pixels.
        let above = place.upper - place.p.y
        let number = u * 17 - above * 420 * (0.25 + 0.5 * u)
        let whole = number.rounded(.down)
        let length = (0.006 + 0.008 * ramp(-0.6, 0.8, u)) * (0.85 + 0.3 * fibres(Point(whole * 3.7, side * 9)))
        let reach = above / length
        let hair = ramp(0.46, 0.12, abs(number - whole - 0.5)) * ramp(1, 0.3, reach) * ramp(-0.1, 0.05, reach)
        let haze = 0.45 * ramp(1, 0, reach) * ramp(-0.1, 0, reach)
        let upper = mix(haze, hair, visibility(period: Face.eyeHalfWidth / 17, pixel)) * ramp(1.15, 0.9, abs(u)) * 0.75
        let below = (place.p.y - place.lower - 0.0015) / 0.003
        let lower = bell(below * below) * 0.22 * ramp(-0.6, 0.6, u) * ramp(1.05, 0.85, abs(u))
        return min(1, max(edge, upper, lower))
    }
}
