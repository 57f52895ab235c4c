import RillCore

/// The skin of the face: its color at each point, with pores, freckles and blemishes, lit by the relief.
struct FaceSkin {
    private let tone: RGB
    private let relief: Relief
    private let mottle: ValueNoise
    private let pores: ValueNoise
    private let marks: [Mark]

    /// A small round spot that filters the light: a freckle, a blemish, a mole.
    private struct Mark {
        var place: Point
        var radius: Float
        var filter: RGB
    }

    init(tone: SkinTone, relief: Relief, seed: UInt64) {
        self.tone = RGB(srgb: tone.srgb)
        self.relief = relief
        mottle = ValueNoise(seed: seed, 1)
        pores = ValueNoise(seed: seed, 2)
        marks = FaceSkin.marks(seed: seed, paleness: ramp(0.05, 0.45, self.tone.luminance))
    }

    /// Paints the whole face except eyes, brows and lips.
    func paint(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        canvas.paint(Face.box) { p in
            let share = coverage(Face.distance(p), max(pixel, 0.006))
            guard share > 0 else { return .zero }
            return Paint(color(at: p, pixel: pixel), coverage: share)
        }
        for mark in marks {
            canvas.tint(Box(centre: mark.place, radii: Point(mark.radius, mark.radius))) { p in
                let away = (p - mark.place) / mark.radius
                return mix(.clear, mark.filter, ramp(1, 0.25, away.length))
            }
        }
        paintFolds(on: &canvas)
    }

    /// Returns the lit color of the skin at a position.
    private func color(at p: Point, pixel: Float) -> RGB {
        let light = relief(p)
        let side = Point(abs(p.x), p.y)

        // Blood is near the surface on cheeks, nose and chin, and the skin around the eyes is thin.
        var flush: Float = 0.46 * bell(side, Point(0.190, 0.125), Point(0.17, 0.15))
        flush += 0.60 * bell(p, Face.noseTip, Point(0.085, 0.075))
        flush += 0.22 * bell(p, Point(0, 0.445), Point(0.13, 0.07))
        flush += 0.25 * ramp(0.25, 0.36, side.x) + 0.11 * ramp(-0.25, 0.25, p.y)
        let thin = bell(side, Face.eye + Point(-0.008, 0.004), Point(0.115, 0.075))
        var albedo = tone * mix(.clear, RGB(1.02, 0.72, 0.69), min(flush, 0.8))
        albedo *= mix(.clear, RGB(0.90, 0.76, 0.77), thin * 0.75)

        // Unevenness, from blotches down to pores. Detail finer than the pixels would only flicker.
        let blotches = 0.05 * mottle.layered(p * 11, octaves: 3)
        var texture = 0.055 * pores(p * 130) * visibility(period: 1 / 65, pixel)
        texture += 0.05 * pores(Point(p.y, p.x) * 250) * visibility(period: 1 / 125, pixel)
        // Redder where it is darker, as blotches are.
        albedo *= RGB(1 + 0.7 * blotches, 1 + blotches, 1 + blotches) * (1 + texture)

        // The less light is scattered back from inside, the more visible is the surface's reflection.
        let gloss = light.w * mix(0.085, 0.030, ramp(0, 0.35, tone.luminance)) * (1 + 3 * texture)
        return albedo * RGB(light) + RGB(1, 1, 1.02) * max(0, gloss)
    }

    /// Paints the nostrils, and the folds that such a smooth relief does not show.
    private func paintFolds(on canvas: inout Canvas) {
        for side: Float in [-1, 1] {
            let mirror = Point(side, 1)
            let wing = Stroke(
                Point(0.072, 0.158) * mirror, Point(0.097, 0.190) * mirror, Point(0.070, 0.214) * mirror, radius: 0.001)
            canvas.shade(wing, width: 0.012, RGB(0.74, 0.64, 0.62))
            let cheek = Stroke(
                Point(0.090, 0.192) * mirror, Point(0.140, 0.235) * mirror, Point(0.150, 0.320) * mirror, radius: 0.001)
            canvas.shade(cheek, width: 0.022, RGB(0.90, 0.85, 0.84))
            let nostril = Stroke(
                Point(0.020, 0.213) * mirror, Point(0.030, 0.203) * mirror, Point(0.046, 0.209) * mirror,
                radius: 0.0035, to: 0.005)
            canvas.shade(nostril, width: 0.013, RGB(0.36, 0.23, 0.20))
            let corner = Stroke(
                Point(0.113, 0.309) * mirror, Point(0.121, 0.306) * mirror, Point(0.127, 0.309) * mirror, radius: 0.001)
            canvas.shade(corner, width: 0.014, RGB(0.66, 0.55, 0.53))
        }
        let tip = Stroke(Point(-0.03, 0.221), Point(0, 0.234), Point(0.03, 0.221), radius: 0.002)
        canvas.shade(tip, width: 0.016, RGB(0.72, 0.62, 0.60))
    }

    private static func marks(seed: UInt64, paleness: Float) -> [Mark] {
        var generator = SeededGenerator(seed: seed ^ 0xF2EC)
        var marks: [Mark] = []
        // Freckles on nose and cheeks; dark skin shows few.
        let freckle = mix(.clear, RGB(0.62, 0.45, 0.33), mix(0.35, 1, paleness))
        for _ in 0..<90 {
            let x = generator.between(-1, 1) + generator.between(-1, 1)
            let place = Point(
                0.135 * x, 0.095 + 0.045 * abs(x) * generator.between(0, 1) + generator.between(-0.05, 0.06))
            let strength = generator.between(0.2, 0.8)
            marks.append(
                Mark(place: place, radius: generator.between(0.003, 0.006), filter: mix(.clear, freckle, strength)))
        }
        // Blemishes: a few red spots on forehead, cheeks and chin.
        let sore = mix(RGB(0.85, 0.70, 0.70), RGB(0.98, 0.62, 0.58), paleness)
        for place in [
            Point(-0.12, -0.22), Point(0.07, -0.26), Point(0.19, -0.19), Point(-0.23, 0.16), Point(-0.19, 0.24),
            Point(0.22, 0.20), Point(0.25, 0.12), Point(0.06, 0.43), Point(-0.09, 0.40), Point(-0.03, -0.17),
        ] {
            let moved = place + Point(generator.between(-0.02, 0.02), generator.between(-0.02, 0.02))
            marks.append(
                Mark(
                    place: moved, radius: generator.between(0.008, 0.015),
                    filter: mix(.clear, sore, generator.between(0.5, 1))))
        }
        // Two moles.
        marks.append(Mark(place: Point(0.155, 0.265), radius: 0.0075, filter: RGB(0.30, 0.20, 0.15)))
        marks.append(Mark(place: Point(-0.255, 0.06), radius: 0.0055, filter: RGB(0.38, 0.27, 0.22)))
        return marks
    }
}

/// Returns how much to show of a detail that repeats every `period`: nothing if it is too fine for pixels of that
/// size.
func visibility(period: Float, _ pixel: Float) -> Float { ramp(1.8, 3.5, period / pixel) }
