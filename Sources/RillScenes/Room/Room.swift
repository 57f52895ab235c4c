/// The room behind the person: a painted wall in the light of a window, a bookshelf, a poster, a plant.
///
/// It is drawn in the scene's plane, around its center, so that a wider picture shows more of the room. Nothing in it
/// moves.
struct Room {
    private let framing: Framing
    private let plaster: ValueNoise
    private let bookshelf: Bookshelf
    private let poster: Poster
    private let plant: Plant

    init(framing: Framing, seed: UInt64) {
        self.framing = framing
        plaster = ValueNoise(seed: seed, 30)
        bookshelf = Bookshelf(seed: seed)
        poster = Poster(seed: seed)
        plant = Plant(seed: seed)
    }

    /// The area of bare wall above the head, in the scene.
    static let plainWall = Box(-0.12, 0.010, 0.12, 0.080)

    func paint(on canvas: inout Canvas) {
        paintWall(on: &canvas)
        bookshelf.paint(on: &canvas)
        poster.paint(on: &canvas)
        plant.paint(on: &canvas)
        paintPersonsShadow(on: &canvas)
    }

    private func paintWall(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        let color = RGB(srgb: 0xB7BCBB)
        canvas.paint(framing.box) { p in
            // Brighter near the window on the left, darker toward the corners.
            let x = bounded(p.x, -0.9, 0.9)
            let light = 1.0 - 0.34 * x * x.magnitude - 0.30 * (p.y - 0.35) * (p.y - 0.35)
            let roller = 0.010 * plaster.layered(p * 38, octaves: 2)
            let grain = 0.020 * plaster(p * 300) * visibility(period: 1 / 150, pixel)
            return Paint(color * (light + roller + grain) + windowLight(p), coverage: 1)
        }
    }

    /// Returns the window's light on the wall, striped by a blind.
    private func windowLight(_ p: Point) -> RGB {
        let slanted = Point(p.x - 0.42 * p.y, p.y - 0.18 * p.x)
        let pane =
            ramp(0.30, 0.335, slanted.x) * ramp(0.80, 0.74, slanted.x) * ramp(0.03, 0.07, slanted.y)
            * ramp(0.62, 0.56, slanted.y)
        let slat = slanted.y / 0.052
        let stripe = ramp(0.08, 0.30, abs(slat - slat.rounded(.down) - 0.5))
        return RGB(0.115, 0.105, 0.085) * (pane * (0.25 + 0.75 * stripe))
    }

    /// Paints the person's shadow: soft, since the wall is near, and away from the window.
    private func paintPersonsShadow(on canvas: inout Canvas) {
        let size = framing.personSize
        let centre = framing.headCentre + Point(0.13, 0.08) * size
        canvas.tint(Box(centre: centre, radii: Point(0.55, 1.1) * size)) { p in
            let d = (p - centre) / size
            let head = bell(d, .zero, Point(0.33, 0.42))
            let body = bell(d, Point(0.05, 0.48), Point(0.62, 0.46))
            return mix(.clear, RGB(0.66, 0.67, 0.70), min(1, head + body))
        }
    }
}
