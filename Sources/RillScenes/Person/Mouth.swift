/// The inside of an open mouth: teeth, tongue and darkness.
struct Mouth {
    /// The largest opening, in head heights.
    static let widest: Float = 0.045
    /// The area that moves when the mouth opens, from the nose to the chin.
    static let box = Box(-0.150, 0.235, 0.150, 0.440)

    /// Returns how far the upper lip rises and the lower one falls at `x`, for a given opening (head heights).
    static func parting(_ x: Float, opening: Float) -> (up: Float, down: Float) {
        let u = x / (Face.mouthHalfWidth * 0.96)
        let here = opening * bell(u * u * 0.8) * ramp(1, 0.9, abs(u))
        return (here * 0.22, here * 0.78)
    }

    /// Paints the inside of the mouth.
    func paint(on canvas: inout Canvas, opening: Float) {
        let pixel = canvas.pixelSize
        canvas.paint(Box(-Face.mouthHalfWidth, 0.27, Face.mouthHalfWidth, 0.40)) { p in
            let line = Face.mouthLine(p.x)
            let (up, down) = Mouth.parting(p.x, opening: opening)
            let top = line - up
            let bottom = line + down
            let share = coverage(max(top - p.y, p.y - bottom), max(pixel, 0.004)) * ramp(0.0015, 0.006, up + down)
            guard share > 0 else { return .zero }
            var color = RGB(0.045, 0.014, 0.013)
            // The tongue is low; the upper teeth are visible under the lip, side by side.
            color = mix(color, RGB(0.26, 0.075, 0.07), bell(p, Point(0, line + down * 1.05), Point(0.070, 0.020)))
            let tooth = abs(p.x) / 0.0165
            let gap = ramp(0.5, 0.40, abs(tooth - tooth.rounded(.down) - 0.5))
            let teeth = ramp(0.013, 0.009, p.y - top) * ramp(0.075, 0.055, abs(p.x))
            color = mix(color, RGB(0.50, 0.46, 0.40) * (0.72 + 0.28 * gap) * (1 - 80 * p.x * p.x), teeth)
            // In the shadow of the upper lip and of the corners.
            color *= mix(0.35, 1, ramp(0, 0.008, p.y - top))
            return Paint(color, coverage: share)
        }
    }
}
