public import RillCore

/// A rectangle of a picture, in luma pixels. Its corner is at even coordinates, where 4:2:0 chroma has a sample.
public struct CropRegion: Hashable, Sendable {
    /// The number of columns to the left of the rectangle; even.
    public let x: Int
    /// The number of rows above the rectangle; even.
    public let y: Int
    /// The size of the rectangle.
    public let resolution: Resolution

    /// Creates a rectangle with its corner at `x`, `y`. Traps if a coordinate is odd or negative.
    public init(x: Int, y: Int, resolution: Resolution) {
        precondition(
            x >= 0 && y >= 0 && x % 2 == 0 && y % 2 == 0, "the corner of a region is even, not \(x),\(y)")
        self.x = x
        self.y = y
        self.resolution = resolution
    }

    /// Creates a rectangle that covers a whole picture.
    public init(all resolution: Resolution) {
        self.x = 0
        self.y = 0
        self.resolution = resolution
    }

    /// Creates the largest rectangle centered in a picture that has the aspect ratio of `target` (both with square
    /// pixels).
    ///
    /// The strips cut off on both sides differ by at most three pixels, since the corner is even. If the aspect
    /// ratios agree to within a pixel, nothing is cut.
    public init(centeredIn source: Resolution, withAspectOf target: Resolution) {
        // Rounded to the nearest pixel, in integers: width = height * target aspect, or the other way round.
        let fittingWidth = (2 * source.height * target.width + target.height) / (2 * target.height)
        let fittingHeight = (2 * source.width * target.height + target.width) / (2 * target.width)
        let width = min(source.width, max(1, fittingWidth))
        let height = min(source.height, max(1, fittingHeight))
        self.x = (source.width - width) / 2 & ~1
        self.y = (source.height - height) / 2 & ~1
        self.resolution = Resolution(width: width, height: height)
    }

    /// Whether the rectangle is inside a picture of that size.
    func lies(in picture: Resolution) -> Bool {
        x + resolution.width <= picture.width && y + resolution.height <= picture.height
    }
}

extension CropRegion: CustomStringConvertible {
    /// `640x360 at 0,60`.
    public var description: String { "\(resolution) at \(x),\(y)" }
}
