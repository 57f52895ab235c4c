/// A raised hand with the palm to the camera, and the forearm below it in its sleeve.
///
/// The unit is the person's size. The origin is the elbow; the fingers point up.
struct Hand {
    /// The position of the arm at one moment.
    struct Placement {
        /// The position of the elbow in the scene.
        var elbow: Point
        /// The scene units per unit of the hand.
        var size: Float
        /// How far the arm leans to the right of the picture, in radians (small enough for a polynomial
        /// approximation).
        var angle: Float

        private var cosine: Float { 1 - angle * angle * (0.5 - angle * angle / 24) }
        private var sine: Float { angle * (1 - angle * angle * (1.0 / 6 - angle * angle / 120)) }

        /// Converts a position in the scene to the arm.
        func hand(_ scene: Point) -> Point { ((scene - elbow) / size).turned(cosine: cosine, sine: -sine) }
        /// Converts a position on the arm to the scene.
        func scene(_ hand: Point) -> Point { elbow + hand.turned(cosine: cosine, sine: sine) * size }
    }

    static let box = Box(-0.20, -0.86, 0.16, 0.13)
    /// How far the fingertips are above the elbow.
    static let reach: Float = 0.82
    /// The part that is bare palm.
    static let palm = Box(centre: palmCentre, radii: Point(0.055, 0.060))
    private static let palmCentre = Point(0, -0.565)
    /// The length of the hand from wrist to fingertips.
    private static let length: Float = 0.345

    private let tone: RGB
    private let fabric: Fabric
    private let relief: Relief
    private let noise: ValueNoise

    init(tone: SkinTone, fabric: Fabric, seed: UInt64, texel: Float) {
        let skin = RGB(srgb: tone.srgb)
        // Palms are lighter and redder than the rest of the skin, the more so the darker it is.
        self.tone = mix(RGB(0.50, 0.27, 0.19), skin, ramp(0, 0.30, skin.luminance) * 0.45 + 0.50) * RGB(1, 0.86, 0.82)
        self.fabric = fabric
        noise = ValueNoise(seed: seed, 11)
        relief = Relief(Hand.box, step: max(texel, 1 / 400), hollow: 0.018) { Hand.height($0) }
    }

    // MARK: - Shape

    /// A bone with flesh around it: both ends and their radii, in hand lengths from the center of the palm.
    private struct Limb {
        var from: Point
        var to: Point
        var startRadius: Float
        var endRadius: Float
    }

    private static let fingers: [Limb] = [
        Limb(from: Point(-0.145, -0.13), to: Point(-0.205, -0.53), startRadius: 0.060, endRadius: 0.044),
        Limb(from: Point(-0.048, -0.15), to: Point(-0.062, -0.615), startRadius: 0.060, endRadius: 0.046),
        Limb(from: Point(0.050, -0.14), to: Point(0.085, -0.565), startRadius: 0.057, endRadius: 0.043),
        Limb(from: Point(0.140, -0.09), to: Point(0.225, -0.42), startRadius: 0.050, endRadius: 0.037),
    ]
    private static let thumb: [Limb] = [
        Limb(from: Point(-0.105, 0.17), to: Point(-0.275, 0.00), startRadius: 0.100, endRadius: 0.062),
        Limb(from: Point(-0.275, 0.00), to: Point(-0.365, -0.155), startRadius: 0.060, endRadius: 0.045),
    ]
    private static let palmBox = Box(-0.195, -0.19, 0.190, 0.27)

    /// Converts to hand lengths from the center of the palm.
    private static func local(_ p: Point) -> Point { (p - palmCentre) / length }

    /// Returns the distance from the bare hand and wrist, negative inside.
    private static func outline(_ p: Point) -> Float {
        let q = local(p)
        var d = roundedBox(Point(q.x * (1 + 0.22 * max(0, q.y)), q.y), palmBox, radius: 0.13)
        d = melt(d, capsule(q, Point(0, 0.15), Point(0.01, 0.95), 0.135, 0.150), 0.16)
        for limb in fingers { d = melt(d, capsule(q, limb.from, limb.to, limb.startRadius, limb.endRadius), 0.035) }
        var thumbDistance = Float.infinity
        for limb in thumb {
            thumbDistance = melt(
                thumbDistance, capsule(q, limb.from, limb.to, limb.startRadius, limb.endRadius), 0.03)
        }
        return melt(d, thumbDistance, 0.09) * length
    }

    private static func height(_ p: Point) -> Float {
        let q = local(p)
        let depth = max(0, -outline(p) / length)
        // As round as a finger near the edge, flatter inside.
        let edge = min(depth / 0.075, 1)
        var z = 0.075 * max(0, 1 - (1 - edge) * (1 - edge)).squareRoot()
        z += 0.050 * bell(q, Point(-0.135, 0.10), Point(0.13, 0.20))
        z += 0.030 * bell(q, Point(0.135, 0.12), Point(0.11, 0.22))
        z += 0.016 * bell(q, Point(-0.02, -0.13), Point(0.22, 0.075))
        for limb in fingers {
            for t: Float in [0.16, 0.52, 0.88] {
                z += 0.008 * bell(q, limb.from + (limb.to - limb.from) * t, Point(0.05, 0.07))
            }
        }
        return z * length
    }

    // MARK: - Painting

    func paint(on canvas: inout Canvas) {
        paintSkin(on: &canvas)
        paintLines(on: &canvas)
        paintSleeve(on: &canvas)
    }

    private func paintSkin(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        canvas.paint(Hand.box) { p in
            let share = coverage(Hand.outline(p), max(pixel, 0.0025))
            guard share > 0 else { return .zero }
            let light = relief(p)
            let q = Hand.local(p)
            var flush: Float = 0.5 * bell(q, Point(-0.13, 0.12), Point(0.15, 0.18))
            flush += 0.4 * bell(q, Point(0.13, 0.13), Point(0.12, 0.20))
            for limb in Hand.fingers { flush += 0.5 * bell(q, limb.to, Point(0.08, 0.09)) }
            let blotches = noise.layered(p * 45, octaves: 3)
            let grain = noise(p * 260) * visibility(period: 1 / 130, pixel)
            let albedo = tone * mix(.clear, RGB(1, 0.78, 0.76), min(1, flush + 0.25 * max(0, blotches)))
            let color = albedo * (1 + 0.05 * blotches + 0.045 * grain) * RGB(light) + light.w * 0.018
            return Paint(color, coverage: share)
        }
    }

    /// Paints the creases of palm and joints.
    private func paintLines(on canvas: inout Canvas) {
        func scene(_ x: Float, _ y: Float) -> Point { Hand.palmCentre + Point(x, y) * Hand.length }
        let crease = RGB(0.82, 0.72, 0.70)
        let palmLines = [
            Stroke(scene(-0.165, -0.045), scene(-0.02, -0.03), scene(-0.030, 0.235), radius: 0.0006),
            Stroke(scene(-0.170, -0.055), scene(0.02, -0.02), scene(0.130, 0.075), radius: 0.0006),
            Stroke(scene(0.185, -0.055), scene(0.04, -0.03), scene(-0.075, -0.145), radius: 0.0006),
        ]
        for line in palmLines { canvas.shade(line, width: 0.0040, crease) }
        for limb in Hand.fingers {
            let along = limb.to - limb.from
            let across = Point(-along.y, along.x) / along.length * 0.040
            for t: Float in [0.14, 0.43, 0.73] {
                let middle = limb.from + along * t
                let line = Stroke(
                    scene(middle.x - across.x, middle.y - across.y), scene(middle.x, middle.y + 0.012),
                    scene(middle.x + across.x, middle.y + across.y), radius: 0.0005)
                canvas.shade(line, width: 0.0042, RGB(0.82, 0.71, 0.69))
            }
        }
    }

    private func paintSleeve(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        canvas.paint(Hand.box) { p in
            let halfWidth = mix(0.068, 0.100, ramp(-0.40, -0.05, p.y))
            let cuff: Float = -0.385 + 0.012 * (p.x / halfWidth) * (p.x / halfWidth)
            // Round at the elbow; the upper arm is behind it.
            let outline = p.y > 0 ? p.length - halfWidth : abs(p.x) - halfWidth
            let share = coverage(max(outline, cuff - p.y), max(pixel, 0.0025))
            guard share > 0 else { return .zero }
            let u = p.x / halfWidth
            // Round like a pipe, with the window to its left.
            let round = max(0, 1 - u * u).squareRoot()
            let light = (0.30 + 0.75 * max(0, 0.78 * round - 0.42 * u)) * ramp(0.16, 0, p.y)
            let isCuff = p.y < cuff + 0.045
            let color = isCuff ? fabric.ribbed(p.x * 1.2, pixel: pixel) : fabric(p, pixel: pixel)
            let seam = p.y - cuff - 0.045
            let folds = 1 + 0.12 * noise.layered(Point(p.x * 8, p.y * 28), octaves: 2)
            return Paint(color * light * folds * (1 - 0.3 * bell(seam * seam / 0.00003)), coverage: share)
        }
    }
}
