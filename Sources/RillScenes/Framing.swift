import RillCore

/// How the scene lies in a picture.
///
/// The scene's plane has the picture's height as its unit; x counts from the picture's middle, y from its top. A person is
/// drawn in a plane of its own, whose origin lies between the eyes (head at rest); its unit is the scene's, or less in a
/// picture that is too narrow for the shoulders.
struct Framing {
    let resolution: Resolution
    /// The person's unit in the scene.
    let personSize: Float
    /// Where the point between the eyes is while the head is at rest.
    let headCentre = Point(-0.012, 0.435)
    /// Height of the head from chin to crown, in the person's unit.
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

    /// Everything that the picture shows, and a pixel more.
    var box: Box { Box(-halfWidth, 0, halfWidth, 1).grown(by: 2 * pixel) }

    /// The scene's place of a place in the picture, given in pixels.
    func scene(_ pixels: Point) -> Point { Point(pixels.x * pixel - halfWidth, pixels.y * pixel) }

    /// The pixels that a rectangle of the scene touches, clipped to the picture, beginning at even ones.
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

    /// The side of a sprite's texel in the person's unit. Beyond 4K the person is not painted finer, but enlarged.
    var texel: Float { max(pixel / Sprite.fineness, 1 / 3300) / personSize }

    /// How far down the picture reaches in the person's plane.
    var personBottom: Float { (1 - headCentre.y) / personSize }

    /// Where the elbow is, in the scene: beside the person, and so low with nothing `raised` (0 to 1) that the picture shows
    /// no finger.
    func elbow(raised: Float) -> Point {
        let beside = min(0.40, halfWidth / personSize - 0.10)
        let hidden = personBottom + Hand.reach + 0.05
        return headCentre + Point(beside + 0.06 * (1 - raised), mix(hidden, 0.70, raised)) * personSize
    }
}
