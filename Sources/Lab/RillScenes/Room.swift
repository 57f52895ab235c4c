import RillCore

/// What is behind the person: a wall with books and a poster.
struct Room {
    private let framing: Framing
    private let noise: ValueNoise

    init(_ framing: Framing, seed: UInt64) {
        (self.framing, noise) = (framing, ValueNoise(seed: seed, 30))
    }

    /// A part of the wall whose structure is fainter than the sensor noise.
    static let plainWall = Box(-0.12, 0.010, 0.12, 0.080)
    /// The print on the poster.
    static let print = Box(0.345, 0.325, 0.595, 0.470)
    private static let poster = Box(0.335, 0.085, 0.605, 0.485)
    private static let shelf = Box(-1, 0.10, -0.36, 1.06)

    func paint(_ p: Point) -> Paint {
        let pixel = framing.pixel
        // Brighter near the window on the left, darker toward the corners.
        let x = bounded(p.x, -0.9, 0.9)
        let light = 1.0 - 0.34 * x * x.magnitude - 0.30 * (p.y - 0.35) * (p.y - 0.35)
        var paint = Paint(RGB(srgb: 0xB7BCBB) * (light + 0.010 * noise(p * 38)), coverage: 1)
        paint.cover(books(p), coverage(Room.shelf.distance(p), pixel))
        paint.cover(RGB(srgb: 0x2C2926), coverage(Room.poster.distance(p) - 0.010, pixel))
        paint.cover(print(p, pixel), coverage(Room.poster.distance(p), pixel))
        return paint
    }

    /// Wooden boards, and between them the backs of books.
    private func books(_ p: Point) -> RGB {
        let row = ((p.y - Room.shelf.low.y) / 0.16).rounded(.down)
        let height = p.y - Room.shelf.low.y - row * 0.16
        let grain = 1 + 0.12 * noise(Point(p.x * 24, p.y * 210))
        guard height > 0.018 else { return RGB(srgb: 0xA9825A) * grain }
        let place = (p.x + 9) * 34 + row * 0.37
        let book = Int32(place.rounded(.down))
        let color = RGB(noise[book, 1], noise[book, 2], noise[book, 3]) * 0.22 + 0.3 + 0.2 * noise[book, 4]
        let round = (place - place.rounded(.down) - 0.5) * 2
        guard height > 0.05 + 0.03 * noise[book, Int32(row) + 5] else { return RGB(srgb: 0x4A3A2C) }
        let title = ramp(0.10, 0.105, height) * ramp(0.125, 0.12, height) * 0.4
        return mix(color * color, RGB(0.6, 0.58, 0.5), title) * (1.05 - 0.6 * round * round)
    }

    /// A picture, with lines of print below it.
    private func print(_ p: Point, _ pixel: Float) -> RGB {
        let paper = RGB(srgb: 0xE8E2D4) * 0.86
        guard p.y > Room.print.low.y else {
            let hills = p.y - 0.24 - 0.02 * noise(Point(p.x * 20, 1))
            return mix(RGB(srgb: 0x8FB0C4), RGB(srgb: 0x4F6B45), ramp(-0.5 * pixel, 0.5 * pixel, hills)) * 0.86
        }
        let line = (p.y - Room.print.low.y) / 0.024
        let inLine = line - line.rounded(.down)
        let letter = noise(Point(p.x * 190, line.rounded(.down) * 7.3)) + 0.4 * noise(p * 260)
        let ink = ramp(0.1, 0.3, letter) * ramp(0.15, 0.3, inLine) * ramp(0.75, 0.6, inLine)
        return mix(paper, RGB(0.03, 0.03, 0.035), ink * ramp(0.005, 0.015, -Room.print.distance(p)))
    }
}
