public import RillCore

/// A rectangle of a picture, in luma pixels. Its corner lies on even coordinates, where 4:2:0 chroma has a sample.
public struct CropRegion: Hashable, Sendable {
    /// Columns to the left of the rectangle; even.
    public let x: Int
    /// Rows above the rectangle; even.
    public let y: Int
    /// Size of the rectangle.
    public let resolution: Resolution

    /// A rectangle with its corner at `x`, `y`; coordinates that are odd or negative are the caller's mistake.
    public init(x: Int, y: Int, resolution: Resolution) {
        precondition(
            x >= 0 && y >= 0 && x % 2 == 0 && y % 2 == 0, "the corner of a region is even, not \(x),\(y)")
        self.x = x
        self.y = y
        self.resolution = resolution
    }

    /// The whole of a picture.
    public init(all resolution: Resolution) {
        self.x = 0
        self.y = 0
        self.resolution = resolution
    }

    /// The largest rectangle in the middle of a picture that has the aspect of `target` (both with square pixels).
    ///
    /// The strips cut off on both sides differ by at most three pixels, since the corner is even. Sides whose aspects
    /// agree to a pixel are not cut.
    public init(centredIn source: Resolution, withAspectOf target: Resolution) {
        // Rounded to the nearest pixel, in whole numbers: width = height * target aspect, or the other way round.
        let fittingWidth = (2 * source.height * target.width + target.height) / (2 * target.height)
        let fittingHeight = (2 * source.width * target.height + target.width) / (2 * target.width)
        let width = min(source.width, max(1, fittingWidth))
        let height = min(source.height, max(1, fittingHeight))
        self.x = (source.width - width) / 2 & ~1
        self.y = (source.height - height) / 2 & ~1
        self.resolution = Resolution(width: width, height: height)
    }

    /// Whether a picture of that size has the whole of it.
    func lies(in picture: Resolution) -> Bool {
        x + resolution.width <= picture.width && y + resolution.height <= picture.height
    }
}

extension CropRegion: CustomStringConvertible {
    /// `640x360 at 0,60`.
    public var description: String { "\(resolution) at \(x),\(y)" }
}
