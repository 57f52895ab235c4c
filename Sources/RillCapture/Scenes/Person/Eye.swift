/// An eye that moves: its lids open and close, it looks here and there.
///
/// The head's sprite holds the closed lid's skin. Each frame the slit between the lids is painted over it: the white, the
/// iris, the lashes at the edge of the upper lid. A blink is a slit that narrows.
struct Eye {
    /// How an eye is at one moment.
    struct Pose: Equatable {
        /// 0 shut, 1 open as usual.
        var opening: Float
        /// Where it looks: how far the iris lies from the slit's middle (head heights), right and down.
        var gaze: Point
    }

    /// 1 for the eye on the right of the picture, -1 for that on the left.
    let side: Float
    private let iris: RGB
    private let white: RGB
    private let fibres: ValueNoise

    /// Everything that moves with the lids.
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

    func paint(on canvas: inout Canvas, _ pose: Pose) {
        let pixel = canvas.pixelSize
        canvas.paint(box) { p in
            let q = Point((p.x - centre.x) * side, p.y - centre.y)
            let u = q.x / Face.eyeHalfWidth
            let lids = Eye.lids(u, opening: pose.opening)
            var paint = skinAround(q, u, lids, pose)
            let slit = max(lids.upper - q.y, q.y - lids.lower)
            let open = coverage(slit, max(pixel, 0.0028)) * ramp(1.02, 0.97, abs(u))
            if open > 0 {
                let ball = Paint(self.ball(q, u, lids, pose, pixel), coverage: open)
                paint = ball + paint * (1 - open)
            }
            let lash = lashes(q, u, lids, pixel)
            return Paint(RGB(0.012, 0.009, 0.008), coverage: lash) + paint * (1 - lash)
        }
    }

    /// The edges of the lids: y at `u`, which is -1 in the inner corner and 1 in the outer one.
    private static func lids(_ u: Float, opening: Float) -> (upper: Float, lower: Float) {
        let rest = max(0, 1 - u * u)
        let arch = 0.55 * rest + 0.45 * rest.squareRoot()
        let corners = -0.005 * u
        // The upper lid is highest a little inside of the middle, the lower one lowest a little outside.
        let open = corners - 0.0325 * arch * (1 - 0.12 * u)
        let lower = corners + 0.0190 * (0.75 * rest + 0.25 * rest.squareRoot()) * (1 + 0.15 * u)
        let shut = lower - 0.0015
        return (mix(shut, open, opening), mix(lower, lower - 0.003, 1 - opening))
    }

    /// The eyeball: white, iris, pupil, what the window and the lid do to it.
    private func ball(_ q: Point, _ u: Float, _ lids: (upper: Float, lower: Float), _ pose: Pose, _ pixel: Float) -> RGB
    {
        let gaze = Point(pose.gaze.x * side, pose.gaze.y)
        let fromIris = q - Point(-0.002, -0.0035) - gaze
        let r = fromIris.length / Face.irisRadius
        let edge = max(0.14, 1.5 * pixel / Face.irisRadius)

        // The ball is round: darker to both corners; the inner one is the caruncle, pink.
        let round = 1 - 0.45 * u * u
        var color = mix(white, RGB(0.55, 0.33, 0.30), ramp(-0.72, -0.98, u)) * round
        let angle = fromIris / max(fromIris.length, 1e-5)
        let fibre = fibres(angle * 9 + r * 1.5) * visibility(period: 0.009, pixel)
        let ring = iris * (0.55 + 0.75 * ramp(0.95, 0.45, r) + 0.30 * fibre)
        color = mix(color, ring * ramp(1.08, 0.80, r) + 0.01, ramp(1 + edge, 1 - edge, r))
        color = mix(color, RGB(0.006, 0.005, 0.005), ramp(0.42 + edge, 0.42 - edge * 0.5, r))
        // The lid above throws a shadow; its edge below is wet.
        color *= mix(0.34, 1, ramp(-0.001, 0.015, q.y - lids.upper))
        color *= mix(0.75, 1, ramp(0, 0.006, lids.lower - q.y))
        // The window, and faintly the room, in the cornea.
        let window = roundedBox(
            Point(fromIris.x * side, fromIris.y), Box(-0.0145, -0.0150, -0.0040, -0.0060), radius: 0.002)
        color += RGB(0.92, 0.95, 1.0) * coverage(window, max(pixel, 0.002)) * 0.9
        let room = bell(Point(fromIris.x * side, fromIris.y), Point(0.009, 0.010), Point(0.011, 0.009))
        return color + RGB(0.07, 0.07, 0.08) * room
    }

    /// What the open lid does to the skin around the slit: the crease above, the lids' edges.
    private func skinAround(_ q: Point, _ u: Float, _ lids: (upper: Float, lower: Float), _ pose: Pose) -> Paint {
        let inside = ramp(1.25, 0.85, abs(u))
        let creaseLine = Eye.lids(u * 0.92, opening: 1).upper - 0.0125 - 0.003 * u
        let fromCrease = (q.y - creaseLine) / 0.0065
        let crease = bell(fromCrease * fromCrease) * inside * 0.50 * pose.opening
        let fromEdge = (q.y - lids.lower) / 0.008
        let rim = bell(fromEdge * fromEdge) * ramp(1.10, 0.8, abs(u)) * 0.35
        return Paint(RGB(0.10, 0.045, 0.035), coverage: min(0.9, crease + rim))
    }

    /// How much of a point the lashes cover.
    private func lashes(_ q: Point, _ u: Float, _ lids: (upper: Float, lower: Float), _ pixel: Float) -> Float {
        guard abs(u) < 1.25 else { return 0 }
        // The dark edge of the upper lid, thicker to the outside; beyond the corner it runs out.
        let width = 0.0036 + 0.0018 * u
        let line = (q.y - lids.upper) / max(width, 0.7 * pixel)
        let edge = bell(line * line * 0.5) * ramp(1.12, 0.9, abs(u)) * 0.92
        // Single lashes, each a little different, leaning outwards.
        let above = lids.upper - q.y
        let lengthHere = 0.006 + 0.008 * ramp(-0.6, 0.8, u)
        let number = u * 17 - above * 420 * (0.25 + 0.5 * u)
        let wobble = fibres(Point(number.rounded(.down) * 3.7, side * 9))
        let reach = above / (lengthHere * (0.85 + 0.3 * wobble))
        let fraction = number - number.rounded(.down)
        let hair = ramp(0.46, 0.12, abs(fraction - 0.5)) * ramp(1, 0.3, reach) * ramp(-0.1, 0.05, reach)
        let fine = visibility(period: Face.eyeHalfWidth / 17, pixel)
        let upper = mix(0.45 * ramp(1, 0, reach) * ramp(-0.1, 0, reach), hair, fine) * ramp(1.15, 0.9, abs(u)) * 0.75
        let lower =
            bell((q.y - lids.lower - 0.0015) * (q.y - lids.lower - 0.0015) / 0.000009) * 0.22 * ramp(-0.6, 0.6, u)
        return min(1, max(edge, max(upper, lower * ramp(1.05, 0.85, abs(u)))))
    }
}
