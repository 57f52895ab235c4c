/// The closed lips; ``Mouth`` opens them.
struct Lips {
    private let color: RGB
    private let relief: Relief
    private let wrinkles: ValueNoise

    init(tone: SkinTone, relief: Relief, seed: UInt64) {
        let skin = RGB(srgb: tone.srgb)
        // On light skin the lips are much redder and darker than the skin, on dark skin only slightly.
        color = skin * mix(RGB(0.92, 0.60, 0.64), RGB(0.72, 0.385, 0.40), ramp(0.02, 0.5, skin.luminance))
        self.relief = relief
        wrinkles = ValueNoise(seed: seed, 3)
    }

    func paint(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        let box = Box(centre: Face.mouth, radii: Point(Face.mouthHalfWidth + 0.01, 0.075))
        let blur = max(pixel, 0.0075)
        canvas.paint(box) { p in
            let (above, below) = Lips.edges(p.x)
            let share = coverage(max(above - p.y, p.y - below), blur)
            guard share > 0 else { return .zero }
            let light = relief(p)
            let fine = visibility(period: 1 / 45, pixel)
            let grain = wrinkles(Point(p.x * 90, p.y * 14)) * fine
            let lit = RGB(light) * (1 + 0.13 * grain)
            // Wet: the lower lip shines in broken lines.
            let shine = bell(p, Point(-0.018, Face.mouth.y + 0.026), Point(0.055, 0.012))
            let gloss = (light.w * 0.05 + 0.10 * shine) * max(0, 0.8 + 0.9 * grain)
            return Paint(color * lit + gloss, coverage: share * 0.92)
        }
        canvas.tint(box) { p in
            // The line between them is darkest in the middle, and fades toward the corners.
            let u = p.x / Face.mouthHalfWidth
            let away = (p.y - Face.mouthLine(p.x)) / (0.0045 + 0.0055 * (1 - min(1, u * u)))
            return mix(
                .clear, RGB(0.20, 0.10, 0.10), bell(away * away) * ramp(1.02, 0.80, abs(u)) * (0.95 - 0.35 * u * u))
        }
    }

    /// Returns the upper edge of the upper lip and the lower edge of the lower one at `x`.
    static func edges(_ x: Float) -> (above: Float, below: Float) {
        let u = x / Face.mouthHalfWidth
        let rest = max(0, 1 - u * u)
        let bow = 0.85 * rest * (1 + 0.25 * u * u) + 0.15 * rest.squareRoot()
        let dip = 0.009 * bell(u * u * 11)
        let line = Face.mouthLine(x)
        return (line - 0.033 * bow + dip, line + 0.040 * (0.5 * rest + 0.5 * rest.squareRoot()))
    }
}
