/// The ears, seen from the front: a rim, a hollow inside it, and a lobe.
struct Ears {
    private let tone: RGB
    private let noise: ValueNoise

    init(tone: SkinTone, seed: UInt64) {
        self.tone = RGB(srgb: tone.srgb) * RGB(1.0, 0.83, 0.80)
        noise = ValueNoise(seed: seed, 4)
    }

    func paint(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        for side: Float in [-1, 1] {
            // The right one is away from the window.
            let brightness: Float = side < 0 ? 0.80 : 0.44
            let centre = Face.ear * Point(side, 1)
            canvas.paint(Box(centre: centre, radii: Face.earRadii * 1.3)) { p in
                let q = Point((p.x - centre.x) * side, p.y - centre.y)
                // Wider at the top, leaning outward.
                let leaning = Point(q.x + 0.16 * q.y, q.y)
                let radii = Face.earRadii * Point(1 - 1.6 * q.y, 1)
                let outside = ellipse(leaning, .zero, radii)
                let share = coverage(outside, max(pixel, 0.005))
                guard share > 0 else { return .zero }
                let depth = -outside
                let rim = ramp(0, 0.010, depth) * ramp(0.024, 0.012, depth)
                let hollow = bell(leaning, Point(-0.004, 0.000), Point(0.032, 0.070))
                let ridge = bell(leaning, Point(0.006, -0.035), Point(0.016, 0.045))
                let shade = 0.80 + 0.24 * rim + 0.20 * ridge - 0.25 * ramp(0.008, 0, depth)
                let grain = 1 + 0.05 * noise.layered(p * 60, octaves: 2)
                // Light shines through the rim.
                let color = tone * mix(.clear, RGB(1.08, 0.90, 0.87), rim) * mix(.clear, RGB(0.62, 0.44, 0.41), hollow)
                return Paint(color * brightness * shade * grain, coverage: share)
            }
        }
    }
}
