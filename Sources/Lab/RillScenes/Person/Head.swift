import RillCore

/// The painter of the head, in its own plane (see ``Face``), under light from the upper left.
struct Head {
    private let skin: RGB
    private let hair: RGB
    private let lips: RGB
    private let pixel: Float
    private let mottle, pores, strands: ValueNoise

    /// - Parameter pixel: the side of a pixel: finer details would only flicker.
    init(_ tone: SkinTone, seed: UInt64, pixel: Float) {
        skin = RGB(srgb: tone.srgb)
        hair = RGB(srgb: tone.number < 6 ? 0x553A29 : 0x1C1816)
        // On light skin the lips are much redder and darker than the skin, on dark skin only slightly.
        lips = skin * mix(RGB(0.72, 0.34, 0.38), RGB(0.72, 0.385, 0.40), ramp(0.02, 0.5, skin.luminance))
        self.pixel = pixel
        mottle = ValueNoise(seed: seed, 1)
        pores = ValueNoise(seed: seed, 2)
        strands = ValueNoise(seed: seed, 6)
    }

    func paint(_ p: Point, _ expression: PortraitMotion.Expression) -> Paint {
        let side = Point(abs(p.x), p.y)
        var paint = Paint.zero
        let ear = ((side - Face.ear) / Face.earRadii).length - 1
        paint.cover(skin * RGB(0.75, 0.62, 0.60) * (0.9 + 0.3 * ear), coverage(ear * 0.05, max(pixel, 0.006)))
        paint.cover(face(p, side), coverage(Face.distance(p), max(pixel, 0.006)))
        paint.cover(hair * 0.45, brow(side))
        cover(&paint, withEye: side, p.x < 0 ? -1 : 1, expression.eyeOpening)
        cover(&paint, withMouth: p, expression.mouth)
        let (color, share) = hair(p)
        paint.cover(color, share)
        return paint
    }

    // MARK: Skin

    private func face(_ p: Point, _ side: Point) -> RGB {
        // Round, with sockets, a nose that casts a shadow, and a hollow under the lips.
        var light = 0.90 - 0.30 * p.x - 0.16 * p.y - 0.55 * ramp(0.22, 0.42, p.x) * ramp(0.22, 0.42, p.x)
        light -= 0.30 * bell(side, Face.eye + Point(-0.02, -0.035), Point(0.13, 0.075))
        light -= 0.12 * bell(side, Face.eye + Point(0, 0.07), Point(0.10, 0.04))
        light += 0.06 * bell(p, Point(-0.008, 0.06), Point(0.030, 0.17))
        light -= 0.36 * bell(p, Point(0.052, 0.10), Point(0.036, 0.14))
        light -= 0.24 * bell(p, Point(0.05, 0.20), Point(0.09, 0.04))
        light -= 0.34 * bell(p, Point(0, 0.232), Point(0.065, 0.020))
        light -= 0.22 * bell(p, Point(0, 0.390), Point(0.09, 0.028))
        light -= 0.65 * bell(side, Point(0.033, 0.212), Point(0.024, 0.014))
        // Wings of the nose, and the folds from there to the mouth.
        light -= 0.26 * bell(side, Point(0.082, 0.195), Point(0.016, 0.036))
        let fold = side.x - 0.105 - 0.4 * (p.y - 0.19)
        light -= 0.12 * bell(fold * fold / 0.0005) * ramp(0.17, 0.22, p.y) * ramp(0.34, 0.28, p.y)
        light -= 0.22 * ramp(0.40, 0.50, p.y)
        // The hair casts a shadow.
        light *= 1 - 0.38 * ramp(-0.17, -0.03, hairLine(p)) * ramp(0.05, -0.15, p.y)
        // Blood is near the surface on cheeks, nose and chin.
        let flush =
            0.40 * bell(side, Point(0.190, 0.125), Point(0.17, 0.15))
            + 0.5 * bell(p, Point(0, 0.172), Point(0.085, 0.075)) + 0.2 * bell(p, Point(0, 0.445), Point(0.13, 0.07))
        var albedo = skin * mix(RGB(1, 1, 1), RGB(1.02, 0.72, 0.69), flush)
        // Unevenness, from blotches down to freckles and pores.
        let blotches = 0.05 * mottle.layered(p * 11, octaves: 3)
        var texture = 0.055 * pores(p * 130) * visibility(period: 1 / 65, pixel)
        texture += 0.05 * pores(Point(p.y, p.x) * 250) * visibility(period: 1 / 125, pixel)
        texture -= 0.30 * ramp(0.45, 0.9, pores(p * 80)) * bell(side, Point(0.11, 0.10), Point(0.17, 0.13))
        albedo *= RGB(1 + 0.7 * blotches, 1 + blotches, 1 + blotches) * (1 + texture)
        return albedo * max(0.2, light)
    }

    // MARK: Features

    private func brow(_ side: Point) -> Float {
        let t = (side.x - Face.brow.start.x) / (Face.brow.end.x - Face.brow.start.x)
        guard t > -0.1, t < 1.1 else { return 0 }
        let spine = mix(Face.brow.start.y, Face.brow.end.y, t) - 0.110 * t * (1 - t)
        let away = (side.y - spine) / (0.026 - 0.014 * t)
        let fibre = strands(Point(side.x * 150 + side.y * 90, side.y * 30)) * visibility(period: 0.007, pixel)
        return min(0.95, bell(away * away * 0.6) * (1.05 + 0.7 * fibre)) * ramp(-0.08, 0.08, t) * ramp(1.08, 0.9, t)
    }

    private func cover(_ paint: inout Paint, withEye side: Point, _ sign: Float, _ opening: Float) {
        let p = side - Face.eye
        let u = p.x / Face.eyeHalfWidth
        guard abs(u) < 1.3, abs(p.y) < 0.055 else { return }
        let rest = max(0, 1 - u * u)
        let low = 0.019 * rest - 0.005 * u
        let high = mix(low - 0.001, -0.0325 * (0.55 * rest + 0.45 * rest.squareRoot()) - 0.005 * u, opening)
        // The crease of the lid.
        let crease = (p.y + 0.0325 * rest + 0.013) / 0.007
        paint.cover(skin * 0.35, 0.6 * bell(crease * crease) * ramp(1.2, 0.8, abs(u)) * opening)
        // Iris, pupil and the reflection of the window, on a ball that is darker toward the corners.
        let q = Point(p.x, p.y + 0.0035)
        let r = q.length / 0.0275
        let soft = max(0.14, 1.5 * pixel / 0.0275)
        var ball = RGB(0.58, 0.54, 0.51) * (1 - 0.45 * u * u)
        let iris = mix(RGB(srgb: 0x5F7F86), RGB(srgb: 0x4A2E1D), ramp(0.5, 0.3, skin.luminance))
        ball = mix(ball, iris, ramp(1 + soft, 1 - soft, r))
        ball = mix(ball, RGB(0.006, 0.005, 0.005), ramp(0.42 + soft, 0.42 - soft * 0.5, r))
        ball = mix(ball, RGB(0.9, 0.92, 0.95), bell(q, Point(-0.009 * sign, -0.010), Point(0.009, 0.009)))
        ball *= mix(0.34, 1, ramp(-0.001, 0.015, p.y - high))
        paint.cover(ball, coverage(max(high - p.y, p.y - low), max(pixel, 0.003)) * ramp(1.02, 0.97, abs(u)))
        // Lashes: thicker toward the outside.
        let lash = (p.y - high) / max(0.006 + 0.002 * u, 0.7 * pixel)
        paint.cover(RGB(0.012, 0.009, 0.008), 0.92 * bell(lash * lash * 0.6) * ramp(1.12, 0.9, abs(u)))
    }

    private func cover(_ paint: inout Paint, withMouth p: Point, _ opening: Float) {
        let u = p.x / Face.mouthHalfWidth
        guard abs(u) < 1.05, abs(p.y - Face.mouth.y) < 0.11 else { return }
        let rest = max(0, 1 - u * u)
        let line = Face.mouth.y + 0.003 - 0.015 * u * u
        let fallen = line + 0.045 * opening * rest
        let above = line - 0.033 * rest + 0.009 * bell(u * u * 11)
        let below = fallen + 0.040 * (0.5 * rest + 0.5 * rest.squareRoot())
        let grain = 0.20 * strands(Point(p.x * 90, p.y * 14)) * visibility(period: 1 / 45, pixel)
        let shine = 0.14 * bell(p, Point(-0.018, fallen + 0.022), Point(0.055, 0.012))
        let edge = coverage(max(above - p.y, p.y - below), max(pixel, 0.0075))
        paint.cover(lips * (0.95 - 0.3 * p.x + grain) + shine, edge)
        // Teeth above, and the dark.
        let teeth = RGB(0.30, 0.28, 0.26) * ramp(0.018, 0.008, p.y - line) + 0.01
        paint.cover(teeth * 0.8, coverage(max(line - p.y, p.y - fallen), max(pixel, 0.004)) * ramp(0, 0.2, opening))
        let away = (p.y - line) / (0.004 + 0.006 * rest)
        paint.cover(lips * RGB(0.12, 0.08, 0.08), bell(away * away) * ramp(1.02, 0.8, abs(u)) * 0.9 * (1 - opening))
    }

    /// How far `p` is beyond the line at which the hair begins; negative in the face.
    private func hairLine(_ p: Point) -> Float { ((p - Point(0, 0.03)) / Point(0.318, 0.355)).length - 1 }

    private func hair(_ p: Point) -> (color: RGB, share: Float) {
        let outer = ((p - Point(0, -0.085)) / Point(0.385, 0.505)).length - 1
        let inner = hairLine(p)
        guard outer < 0.1, inner > -0.2, p.y < 0.20 else { return (hair, 0) }
        let turn = turns(of: Point(0, -0.05) - p) + 0.10 * outer
        let lock = strands(Point(turn * 85, outer * 5))
        let fine = strands(Point(turn * 150, outer * 5)) * visibility(period: 0.017, pixel)
        let share =
            coverage(outer * 0.4 + 0.008 * (lock + fine), max(pixel, 0.014))
            * ramp(-0.08, 0.06, inner + 0.025 * (lock + fine)) * ramp(0.17, 0.11, p.y + 0.03 * fine)
        let light = 0.90 - 0.6 * p.x - 0.35 * (p.y + 0.3) + 0.45 * bell((outer + 0.18) * (outer + 0.18) / 0.01)
        return (hair * max(0.2, light * (1 + 0.80 * lock + 0.60 * fine + 0.40 * strands(p * 60))), share)
    }
}

/// The positions of facial features.
///
/// The unit is the height of the head without hair. The origin is between the eyes, with x to the right of the
/// picture. The proportions are those of drawing textbooks: eyes halfway down, an eye's width between them, the wings
/// of the nose below their inner corners, the mouth a third of the way from nose to chin.
enum Face {
    /// The outline of skull and jaw: the distance from the origin, from the crown (0 turns) to the chin (half a
    /// turn).
    private static let outline = Profile(
        0...0.5,
        [
            0.495, 0.484, 0.450, 0.408, 0.374, 0.350, 0.334, 0.330, 0.344, 0.379, 0.430, 0.474, 0.490,
        ])

    /// The center of the eye on the right of the picture; the other one is its mirror image.
    static let eye = Point(0.146, 0.002)
    /// Half the length of the slit between the lids.
    static let eyeHalfWidth: Float = 0.071
    /// The brow on the right: where it begins and ends.
    static let brow: (start: Point, end: Point) = (Point(0.058, -0.088), Point(0.252, -0.082))
    /// The middle of the closed mouth.
    static let mouth = Point(0, 0.318)
    /// Half the length of the mouth.
    static let mouthHalfWidth: Float = 0.117
    /// The center of the right ear, and its radii.
    static let ear = Point(0.352, 0.055)
    static let earRadii = Point(0.046, 0.112)

    /// The area of head, ears and hair.
    static let visible = Box(-0.42, -0.62, 0.42, 0.50)
    /// What the expression changes.
    static let changing = [
        Box(centre: eye, radii: Point(0.09, 0.055)), Box(centre: eye * Point(-1, 1), radii: Point(0.09, 0.055)),
        Box(centre: mouth + Point(0, 0.02), radii: Point(0.13, 0.085)),
    ]

    /// Returns the distance of `p` from the head's outline, negative inside.
    static func distance(_ p: Point) -> Float { p.length - outline(turns(of: Point(abs(p.x), p.y))) }
}
