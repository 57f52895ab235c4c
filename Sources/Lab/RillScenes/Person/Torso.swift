import RillCore

/// The painter of neck and shoulders, under light from the upper left. The unit is the person's, and the origin is
/// between the eyes while the head is at rest.
struct Torso {
    private let skin: RGB
    private let noise: ValueNoise
    private let pixel: Float

    /// - Parameter pixel: the side of a pixel: finer details would only flicker.
    init(_ tone: SkinTone, seed: UInt64, pixel: Float) {
        (skin, noise, self.pixel) = (RGB(srgb: tone.srgb), ValueNoise(seed: seed, 8), pixel)
    }

    /// The area of neck and shoulders, down to `bottom` and a little farther.
    static func box(to bottom: Float) -> Box { Box(-0.60, 0.08, 0.60, bottom + 0.04) }

    func paint(_ p: Point) -> Paint {
        var paint = Paint.zero
        let side = abs(p.x)
        let shadow = mix(0.45, 0.85, ramp(0.24, 0.40, p.y)) * (1 - 0.9 * p.x)
        let neck = side - 0.095 - 0.09 * ramp(0.30, 0.50, p.y)
        paint.cover(
            skin * RGB(1, 0.9, 0.88) * shadow * (1 + 0.06 * noise.layered(p * 40, octaves: 2)),
            coverage(neck, max(pixel, 0.003)) * ramp(0.1, 0.12, p.y))
        // From the collar along the shoulders, and down.
        let arm = max(0, side - 0.38)
        let top = 0.355 + 0.30 * max(0, side - 0.10) + 24 * arm * arm
        let collar = 0.07 * bell(side * side / 0.0144)
        let folds = 0.40 * noise.layered(Point(p.x * 9 + 4 * p.y, p.y * 12 - 8 * side), octaves: 3)
        paint.cover(
            RGB(srgb: 0x3F627C) * ((0.95 - 0.7 * p.x) * (1 + folds + knit(p))),
            coverage(top + collar - p.y, max(pixel, 0.003)))
        return paint
    }

    /// Columns of stitches, with fluff.
    private func knit(_ p: Point) -> Float {
        let stitch = Float(0.0105)
        func wave(_ x: Float) -> Float { sine(turns: Double(x / stitch)) }
        return 0.40 * wave(p.x) * wave(1.2 * p.y + 0.4 * abs(p.x)) * visibility(period: stitch, pixel)
            + 0.30 * noise(p * 120) * visibility(period: 1 / 60, pixel)
    }
}
