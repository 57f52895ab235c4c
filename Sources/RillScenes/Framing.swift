import RillCore

/// The position of the scene in a picture.
///
/// The scene's plane has the picture's height as its unit; x counts from the picture's center, y from its top. A
/// person is drawn in a separate plane, whose origin is between the eyes (with the head at rest). Its unit is the
/// scene's, or less in a picture that is too narrow for the shoulders.
struct Framing {
    let resolution: Resolution
    /// The person's unit in the scene.
    let personSize: Float
    /// The position between the eyes while the head is at rest.
    let headCentre = Point(-0.012, 0.435)
    /// The height of the head from chin to crown, in the person's unit.
    static let headHeight: Float = 0.5

    private let halfWidth: Float

    init(_ resolution: Resolution) {
        self.resolution = resolution
        let aspect = Float(resolution.width) / Float(resolution.height)
        halfWidth = 0.5 * aspect
        personSize = min(1, max(0.02, 1.15 * aspect))
    }

    // MARK: - The scene

    /// The side of a pixel.
    var pixel: Float { 1 / Float(resolution.height) }

    /// Everything that the picture shows, and one pixel more.
    var box: Box { Box(-halfWidth, 0, halfWidth, 1).grown(by: 2 * pixel) }

    /// Converts a position in the picture, in pixels, to the scene.
    func scene(_ pixels: Point) -> Point { Point(pixels.x * pixel - halfWidth, pixels.y * pixel) }

    /// Returns the pixels that a rectangle of the scene touches, clipped to the picture, starting at even ones.
    func pixels(touching box: Box) -> PixelRect {
        let low = pixels(box.low)
        let high = pixels(box.high)
        func range(_ from: Float, _ to: Float, _ limit: Int) -> Range<Int> {
            let start = Int(bounded(from, 0, Float(limit))) & ~1
            return start..<max(start, min(limit, Int(bounded(to, 0, Float(limit))) + 1))
        }
        return PixelRect(
            columns: range(low.x, high.x, resolution.width), rows: range(low.y, high.y, resolution.height))
    }

    private func pixels(_ scene: Point) -> Point { Point(scene.x + halfWidth, scene.y) * Float(resolution.height) }

    // MARK: - The person

    /// The side of a sprite's texel in the person's unit. Beyond 4K the person is enlarged instead of painted at a
    /// higher resolution.
    var texel: Float { max(pixel / Sprite.fineness, 1 / 3300) / personSize }

    /// The bottom of the picture in the person's plane.
    var personBottom: Float { (1 - headCentre.y) / personSize }

    /// Returns the position of the elbow in the scene: beside the person, and at `raised` 0 (of 0 to 1) so low that
    /// the picture shows no finger.
    func elbow(raised: Float) -> Point {
        let beside = min(0.40, halfWidth / personSize - 0.10)
        let hidden = personBottom + Hand.reach + 0.05
        return headCentre + Point(beside + 0.06 * (1 - raised), mix(hidden, 0.70, raised)) * personSize
    }
}
