import RillCore

/// Short hair, swept to the right of the picture: a volume around the skull, combed into strands.
///
/// It forms a ring around a center in the forehead, between the hairline and the outer edge, both given as distances
/// by angle. A strand starts at the hairline and leans as it goes outward. Its brightness depends on its number, so
/// that the texture runs along the strands.
struct Hair {
    private let color: RGB
    private let locks: ValueNoise
    private let strands: ValueNoise
    private let stray: [Stroke]

    init(color: HairColor, seed: UInt64) {
        self.color = RGB(srgb: color.srgb)
        locks = ValueNoise(seed: seed, 5)
        strands = ValueNoise(seed: seed, 6)
        stray = Hair.strayHairs(seed: seed)
    }

    private static let centre = Point(0, -0.12)

    // Every 15 degrees from straight down: up the left side of the picture, the top, down the right side.

    /// The distance from the center at which the hair ends.
    private static let outerEdge = Profile(
        0...1,
        [
            0.340, 0.340, 0.340, 0.355, 0.376, 0.370, 0.374, 0.385, 0.404, 0.427, 0.449, 0.464,
            0.476, 0.484, 0.476, 0.452, 0.422, 0.394, 0.378, 0.371, 0.376, 0.355, 0.340, 0.340, 0.340,
        ])
    /// The distance from the center at which the hair starts.
    private static let hairLine = Profile(
        0...1,
        [
            0.500, 0.500, 0.500, 0.460, 0.352, 0.322, 0.312, 0.309, 0.290, 0.262, 0.240, 0.222,
            0.206, 0.203, 0.216, 0.248, 0.285, 0.308, 0.312, 0.322, 0.352, 0.460, 0.500, 0.500, 0.500,
        ])
    /// How far a strand leans from start to end, in turns.
    private static let lean = Profile(
        0...1,
        [
            0.00, 0.00, 0.00, 0.00, -0.01, -0.02, -0.03, -0.03, -0.02, 0.01, 0.05, 0.09,
            0.11, 0.11, 0.10, 0.08, 0.06, 0.04, 0.02, 0.01, 0.00, 0.00, 0.00, 0.00, 0.00,
        ])

    /// A position in the hair.
    private struct Place {
        /// The angle from straight down, in turns.
        var turns: Float
        /// The distance outside of the hairline, and inside of the outer edge.
        var fromLine: Float
        var fromEdge: Float
        /// 0 at the hairline, 1 at the outer edge.
        var along: Float
        /// The unit direction away from the center.
        var outwards: Point

        init(_ p: Point) {
            let d = p - Hair.centre
            let r = d.length
            turns = RillScenes.turns(of: -d)
            let outer = Hair.outerEdge(turns)
            let inner = Hair.hairLine(turns)
            fromLine = r - inner
            fromEdge = outer - r
            along = bounded(fromLine / max(outer - inner, 0.03))
            outwards = d / max(r, 1e-6)
        }
    }

    /// Paints the hair behind the ears and around the skull, under everything else.
    func paintBehind(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        canvas.paint(Box(-0.40, -0.62, 0.40, 0.16)) { p in
            let place = Place(p)
            let share = coverage(-place.fromEdge + 0.012, 0.02 + pixel) * ramp(0.14, 0.06, p.y)
            return Paint(color * 0.35, coverage: share)
        }
    }

    /// Paints the hair on top of the face, with the shadow that it casts on the forehead.
    func paint(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        let box = Box(-0.52, -0.66, 0.52, 0.16)
        canvas.tint(box) { p in
            let place = Place(p)
            guard place.fromLine > -0.06, Face.distance(p) < 0.01 else { return .clear }
            return mix(.clear, RGB(0.62, 0.54, 0.52), ramp(-0.055, 0.005, place.fromLine))
        }
        canvas.paint(box) { p in
            let place = Place(p)
            guard place.fromLine > -0.05, place.fromEdge > -0.04 else { return .zero }
            return paint(place, pixel)
        }
        for hair in stray { canvas.draw(hair, color * 0.8, opacity: 0.42) }
    }

    private func paint(_ place: Place, _ pixel: Float) -> Paint {
        // The number of the strand that passes here.
        let strand = place.turns - Hair.lean(place.turns) * place.along
        let lock = locks(Point(strand * 85, place.along * 1.6))
        let coarse = strands(Point(strand * 260, place.along * 2.5)) * visibility(period: 0.016, pixel)
        let fine = strands(Point(strand * 620 + 40, place.along * 3.5)) * visibility(period: 0.007, pixel)

        // Individual hairs reach over the hairline and the outer edge.
        let tips = 0.55 * lock + 0.9 * coarse + 0.5 * fine
        let line = ramp(-0.020, 0.022, place.fromLine + 0.014 * tips)
        let edge = ramp(-0.006 - pixel, 0.012 + pixel, place.fromEdge + 0.009 * tips)
        let share = line * edge
        guard share > 0 else { return .zero }

        // The volume faces away from the camera toward its edge.
        let tilt = mix(0.25, 0.97, place.along)
        let upright = max(0, 1 - tilt * tilt).squareRoot()
        let normal = SIMD3(place.outwards.x * tilt, place.outwards.y * tilt, upright)
        let towards = max(0, dot(normal, KeyLight.direction))
        let diffuse = 0.30 + 0.95 * towards
        let texture = max(0.25, 1 + 0.42 * lock + 0.42 * coarse + 0.30 * fine)

        // Hair shines where it bends toward the window: in a band across all strands.
        let sideways = (place.along - 0.40 - 0.10 * lock) / 0.34
        let band = bell(sideways * sideways) * ramp(0.25, 0.95, towards)
        let gloss = band * max(0, 0.35 + 0.9 * coarse + 0.6 * fine)
        return Paint(color * (diffuse * texture) + (color * 0.9 + 0.035) * gloss, coverage: share)
    }

    private static func strayHairs(seed: UInt64) -> [Stroke] {
        var generator = SeededGenerator(seed: seed ^ 0x4A12)
        return (0..<44).map { _ in
            let t = generator.between(0.33, 0.70)
            let lean = generator.between(-0.015, 0.045)
            func at(_ turns: Float, _ beyond: Float) -> Point {
                let angle = Double(turns) + 0.5
                return centre + Point(sine(turns: angle), -cosine(turns: angle)) * (outerEdge(turns) + beyond)
            }
            let reach = generator.between(0.004, 0.020)
            return Stroke(
                at(t, -0.03), at(t + 0.5 * lean, reach * 1.2), at(t + lean, reach), radius: 0.0013, to: 0.0005)
        }
    }
}
