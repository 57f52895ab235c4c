/// A framed poster on the right: a brook in the hills, its name, and lines of ever smaller print to judge sharpness.
struct Poster {
    static let box = Box(0.335, 0.085, 0.605, 0.485)
    /// The part with the print.
    static let print = Box(0.345, 0.325, 0.595, 0.470)
    private let paper: ValueNoise

    init(seed: UInt64) {
        paper = ValueNoise(seed: seed, 32)
    }

    func paint(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        let frame = Poster.box.grown(by: 0.010)
        // It hangs slightly off the wall.
        canvas.tint(frame.grown(by: 0.03)) { p in
            let d = roundedBox(p - Point(0.010, 0.012), frame, radius: 0.004)
            return mix(RGB(0.62, 0.62, 0.64), .clear, ramp(-0.006, 0.020, d))
        }
        canvas.paint(frame.grown(by: pixel)) { p in
            Paint(RGB(srgb: 0x2C2926), coverage: coverage(roundedBox(p, frame, radius: 0.002), pixel))
        }
        canvas.paint(Poster.box.grown(by: pixel)) { p in
            let inPlane = roundedBox(p, Poster.box, radius: 0)
            let grain = 1 + 0.03 * paper(p * 260) * visibility(period: 1 / 130, pixel)
            // The frame's shadow on the paper.
            let edge = mix(0.80, 1, ramp(0, 0.008, min(p.x - Poster.box.low.x, p.y - Poster.box.low.y)))
            return Paint(picture(p - Poster.box.low, pixel) * (0.86 * grain * edge), coverage: coverage(inPlane, pixel))
        }
        paintText(on: &canvas)
    }

    /// Returns the picture on the poster at a position from its upper left corner.
    private func picture(_ p: Point, _ pixel: Float) -> RGB {
        let cream = RGB(srgb: 0xEDE6D3)
        guard p.y < 0.235, p.y > 0.018, p.x > 0.018, p.x < 0.252 else { return cream }
        var color = mix(RGB(srgb: 0x9CC4C9), RGB(srgb: 0xF1E2C0), ramp(0.02, 0.13, p.y))
        let sun = ellipse(p, Point(0.178, 0.072), Point(0.026, 0.026))
        color = mix(color, RGB(srgb: 0xE8A33D), coverage(sun, pixel))
        let hills: [(height: Float, wave: Float, shift: Float, code: UInt32)] = [
            (0.108, 0.030, 0.1, 0x7FA6A0), (0.140, 0.024, 0.55, 0x4F8583), (0.172, 0.018, 0.3, 0x2D5F66),
        ]
        for hill in hills {
            let ridge = hill.height - hill.wave * sine(turns: Double(p.x / 0.24 * 1.3 + hill.shift))
            color = mix(color, RGB(srgb: hill.code), coverage(ridge - p.y, pixel))
        }
        // The brook winds towards us and widens.
        let down = p.y - 0.172
        if down > 0 {
            let middle = 0.120 + 0.030 * sine(turns: Double(0.25 + 18 * down * (1 - 4 * down)))
            let bank = abs(p.x - middle) - (0.004 + 0.42 * down)
            color = mix(color, RGB(srgb: 0xDCEBE6), coverage(bank, pixel))
            let ripple = abs(p.x - middle - 0.1 * down) - 0.0012 - 0.02 * down
            color = mix(color, RGB(srgb: 0x86B7BC), coverage(ripple, pixel) * 0.8)
        }
        return color
    }

    private func paintText(on canvas: inout Canvas) {
        let ink = RGB(srgb: 0x24434A)
        let lines: [(text: String, top: Float, height: Float)] = [
            ("RILL", 0.250, 0.050), ("A SMALL STREAM", 0.312, 0.0145), ("E F P T O Z L P E D", 0.337, 0.0115),
            ("PECFD EDFCZP 0123456789", 0.356, 0.0090), ("THE QUICK BROWN FOX JUMPS OVER 13 DOGS", 0.373, 0.0062),
        ]
        for line in lines {
            let width = BitmapFont.width(of: line.text) * line.height
            let start = Point(Poster.box.centre.x - width / 2, Poster.box.low.y + line.top)
            canvas.write(line.text, at: start, height: line.height, ink * 0.86)
        }
    }
}
