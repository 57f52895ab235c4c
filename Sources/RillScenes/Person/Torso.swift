/// Neck and shoulders, with a pullover.
///
/// The unit is the person's size (usually the height of the frame). The origin is the point between the eyes with the
/// head at rest.
struct Torso {
    private let tone: RGB
    private let fabric: Fabric
    private let skinNoise: ValueNoise
    private let cloth: Relief
    private let neck: Relief
    /// The area of everything, with some margin for swaying.
    let box: Box

    /// Creates neck and shoulders.
    ///
    /// - Parameters:
    ///   - tone: the skin tone.
    ///   - fabric: the pullover's fabric.
    ///   - seed: determines everything random.
    ///   - bottom: the bottom of the frame.
    ///   - texel: the side of the texels that will be painted.
    init(tone: SkinTone, fabric: Fabric, seed: UInt64, bottom: Float, texel: Float) {
        self.tone = RGB(srgb: tone.srgb)
        self.fabric = fabric
        let box = Box(-0.60, 0.10, 0.60, bottom + 0.04)
        self.box = box
        skinNoise = ValueNoise(seed: seed, 9)
        let step = max(texel, 1 / 250)
        let folds = ValueNoise(seed: seed, 10)
        cloth = Relief(box, step: step, hollow: 0.03) { Torso.clothHeight($0, folds) }
        neck = Relief(Torso.neckBox, step: step, hollow: 0.03) { Torso.neckHeight($0) }
    }

    /// The height above which the neck starts to move with the head.
    static let neckBase: Float = 0.36
    /// The height above which it moves fully with the head.
    static let neckTop: Float = 0.20

    func paint(on canvas: inout Canvas) {
        paintNeck(on: &canvas)
        paintPullover(on: &canvas)
    }

    // MARK: - Neck

    private static let neckBox = Box(-0.20, 0.08, 0.20, 0.42)
    private static let neckHalfWidth = Profile(0.10...0.40, [0.100, 0.099, 0.096, 0.097, 0.106, 0.138, 0.190])

    private static func neckHeight(_ p: Point) -> Float {
        let u = p.x / neckHalfWidth(p.y)
        var z = 0.11 * max(0, 1 - u * u).squareRoot()
        // The two muscles from behind the ears to the notch between the collarbones, and the notch.
        let muscle = abs(p.x) - mix(0.085, 0.022, ramp(0.16, 0.345, p.y))
        z += 0.011 * bell(muscle * muscle / (0.026 * 0.026))
        z -= 0.016 * bell(p, Point(0, 0.352), Point(0.032, 0.028))
        return z
    }

    private func paintNeck(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        canvas.paint(Torso.neckBox) { p in
            let share = coverage(abs(p.x) - Torso.neckHalfWidth(p.y), max(pixel, 0.003))
            guard share > 0 else { return .zero }
            let light = neck(p)
            let blotches = skinNoise.layered(p * 22, octaves: 3)
            let pores = skinNoise(p * 240) * visibility(period: 1 / 120, pixel)
            var color = tone * RGB(0.98, 0.90, 0.87) * (1 + 0.05 * blotches + 0.04 * pores) * RGB(light)
            // The jaw's shadow has the jaw's shape, displaced down and away from the window.
            let jaw = Face.distance((p - Point(0.016, 0.030)) * 2) * 0.5
            color *= mix(RGB(0.30, 0.22, 0.20), .clear, ramp(-0.012, 0.050, jaw))
            // Two faint lines around the neck.
            let line = p.y - 0.285 - 0.3 * p.x * p.x + 0.06 * p.x
            color *= 1 - 0.13 * bell(line * line / (0.006 * 0.006))
            return Paint(color, coverage: share)
        }
    }

    // MARK: - Pullover

    /// The height at which the pullover starts, every 0.05 from the middle.
    private static let shoulderLine = Profile(
        0...0.55,
        [
            0.300, 0.302, 0.316, 0.337, 0.353, 0.367, 0.384, 0.410, 0.457, 0.545, 0.74, 1.2,
        ])

    /// Returns the distance from the pullover's outline, negative inside.
    private static func outline(_ p: Point) -> Float {
        let x = abs(p.x)
        let slope = (shoulderLine(x + 0.01) - shoulderLine(x - 0.01)) / 0.02
        return (shoulderLine(x) - p.y) / (1 + slope * slope).squareRoot()
    }

    /// Returns the distance from the neck opening, negative inside.
    private static func opening(_ p: Point) -> Float { ellipse(p, Point(0, 0.290), Point(0.114, 0.064)) }

    private static func clothHeight(_ p: Point, _ folds: ValueNoise) -> Float {
        let inside = max(0, -outline(p))
        let x = abs(p.x)
        // Round at the shoulders, a chest, arms beside it.
        var z = 0.13 * min(1, inside / 0.14).squareRoot() - 0.22 * p.x * p.x
        z += 0.030 * bell(Point(x, p.y), Point(0.15, 0.62), Point(0.15, 0.22))
        z -= 0.035 * bell((x - 0.335) * (x - 0.335) / (0.035 * 0.035)) * ramp(0.50, 0.66, p.y)
        // Folds run from the armpits to the neck, and hang in bows in front.
        let bow = p.y + 0.9 * p.x * p.x
        z += 0.026 * folds.layered(Point(p.x * 3 + 2 * p.y, bow * 9), octaves: 2) * ramp(0.36, 0.55, p.y)
        z += 0.020 * folds.layered(Point((x - 0.8 * p.y) * 16, p.y * 4 + x * 3), octaves: 2) * ramp(0.10, 0.30, x)
        // The collar is a roll.
        let collar = opening(p) - 0.017
        z += 0.016 * bell(collar * collar / (0.022 * 0.022))
        return z
    }

    private func paintPullover(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        // The collar's shadow on the neck.
        canvas.tint(Torso.neckBox) { p in
            mix(.clear, RGB(0.45, 0.36, 0.34), ramp(-0.020, 0.001, Torso.opening(p)) * ramp(0.28, 0.32, p.y))
        }
        canvas.paint(box) { p in
            let edge = max(Torso.outline(p), -Torso.opening(p))
            let share = coverage(edge, max(pixel, 0.0025))
            guard share > 0 else { return .zero }
            let light = cloth(p)
            let around = Point(p.x * (1 + 0.5 * p.x * p.x), p.y + 0.25 * p.x * p.x)
            var color = fabric(around, pixel: pixel)
            let fromOpening = Torso.opening(p)
            if fromOpening < 0.036 {
                let d = p - Point(0, 0.290)
                let ribs = fabric.ribbed(turns(of: d) * 0.66, pixel: pixel)
                color = mix(ribs, color, coverage(0.034 - fromOpening, max(pixel, 0.002)))
                color *= 1 - 0.35 * bell((fromOpening - 0.034) * (fromOpening - 0.034) / (0.004 * 0.004))
            }
            // The chin's shadow reaches the chest.
            let chin = 1 - 0.30 * bell(p, Point(0.03, 0.33), Point(0.17, 0.12))
            return Paint(color * RGB(light) * (0.98 * chin), coverage: share)
        }
    }
}
