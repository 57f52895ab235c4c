import RillCore

/// The position of the scene in a picture.
///
/// The scene's plane has the picture's height as its unit; x counts from the picture's center, y from its top. The
/// person's unit is the scene's, or less in a picture that is too narrow for the shoulders.
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

    /// The side of a pixel.
    var pixel: Float { 1 / Float(resolution.height) }

    /// The side of a pixel on the person. Beyond 4K it is enlarged instead of painted at a higher resolution.
    var personPixel: Float { max(pixel, 1 / 2200) / personSize }

    /// The side of a pixel on the head.
    var headPixel: Float { personPixel / Framing.headHeight }

    /// Converts a position in the picture, in pixels, to the scene.
    func scene(_ pixels: Point) -> Point { Point(pixels.x * pixel - halfWidth, pixels.y * pixel) }

    /// Returns the pixels that a rectangle of the scene touches, clipped to the picture, starting at even ones.
    func pixels(touching box: Box) -> PixelRect {
        func range(_ from: Float, _ to: Float, _ limit: Int) -> Range<Int> {
            let start = Int(bounded(from / pixel, 0, Float(limit))) & ~1
            return start..<max(start, min(limit, Int(bounded(to / pixel, 0, Float(limit))) + 1))
        }
        return PixelRect(
            columns: range(box.low.x + halfWidth, box.high.x + halfWidth, resolution.width),
            rows: range(box.low.y, box.high.y, resolution.height))
    }
}
