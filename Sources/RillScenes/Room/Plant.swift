import RillCore

/// A plant in the right corner, with long leaves that bend over.
struct Plant {
    private struct Leaf {
        var spine: Stroke
        var width: Float
        var brightness: Float
    }

    private let leaves: [Leaf]
    private let veins: ValueNoise

    init(seed: UInt64) {
        veins = ValueNoise(seed: seed, 33)
        var generator = SeededGenerator(seed: seed ^ 0x91A7)
        let root = Point(0.775, 0.98)
        leaves = (0..<22).map { index in
            // From back to front: outer leaves hang lower.
            let t = Float(index) / 21
            let spread = (index.isMultiple(of: 2) ? 1 : -1) * generator.between(0.02, 0.13 + 0.10 * t)
            let height = generator.between(0.30, 0.46) * (1 - 0.35 * t)
            let tip = root + Point(spread * 1.75, -height * generator.between(0.72, 1.0))
            let bend = root + Point(spread * 0.45, -height * 1.12)
            let start = root + Point(generator.between(-0.02, 0.02), generator.between(-0.02, 0.03))
            return Leaf(
                spine: Stroke(start, bend, tip, radius: 0), width: generator.between(0.014, 0.022),
                brightness: generator.between(0.75, 1.15) * (0.55 + 0.45 * t))
        }
    }

    func paint(on canvas: inout Canvas) {
        for leaf in leaves { paint(leaf, on: &canvas) }
        paintPot(on: &canvas)
    }

    private func paint(_ leaf: Leaf, on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        canvas.paint(leaf.spine.box.grown(by: leaf.width)) { p in
            let (t, across) = leaf.spine.place(of: p, pieces: 12)
            // Narrow at the stalk, widest in the middle, pointed.
            let width = leaf.width * (0.25 + 3.0 * t * (1 - t)) * ramp(1.0, 0.80, t)
            let share = coverage(across.magnitude - width, pixel)
            guard share > 0 else { return .zero }
            let u = across / max(width, 1e-4)
            // Folded along the middle: one half faces the window.
            let half: Float = 0.86 + 0.34 * ramp(0.12, -0.12, u)
            let rib = 1 + 0.35 * bell(u * u * 90)
            let vein = 1 + 0.13 * veins(Point(t * 60 + abs(u) * 5, 3)) * visibility(period: 0.006, pixel)
            let light = (0.42 + 0.62 * t) * half * rib * vein * leaf.brightness
            return Paint(RGB(srgb: 0x4E7F43) * light, coverage: share)
        }
    }

    private func paintPot(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        let pot = Box(0.700, 0.955, 0.850, 1.20)
        canvas.paint(pot.grown(by: pixel)) { p in
            let u = (p.x - pot.centre.x) / 0.075
            let light = 0.35 + 0.75 * max(0, 0.8 * max(0, 1 - u * u).squareRoot() - 0.4 * u)
            let rim: Float = p.y < 0.975 ? 1.15 : 0.95
            return Paint(
                RGB(srgb: 0xB9694A) * (light * rim), coverage: coverage(roundedBox(p, pot, radius: 0.006), pixel))
        }
    }
}
