public import RillCore

/// How a picture is placed in a target of another size: which part of it is kept, and which part of the target it
/// fills.
///
/// ```swift
/// let fit = PictureFit(.hd720, into: .vga, .letterbox)
/// fit.placement        // 640x360 at 0,60: bars of 60 rows above and below
/// frame.scaled(fit, into: pool)
/// ```
///
/// A pure value of integers. Both have square pixels. The aspect ratio is kept to within a pixel of the target, or of
/// the source if that is cropped.
public struct PictureFit: Hashable, Sendable {
    /// The part of the source that is kept.
    public let region: CropRegion
    /// The part of the target that it fills; the rest is black.
    ///
    /// A side that is shorter than the target's is even and at least 2. The bars on both sides differ by at most two
    /// pixels.
    public let placement: CropRegion

    /// Creates the fit of a picture of size `source` into `target`.
    public init(_ source: Resolution, into target: Resolution, _ policy: AspectPolicy) {
        switch policy {
        case .crop:
            region = CropRegion(centeredIn: source, withAspectOf: target)
            placement = CropRegion(all: target)
        case .letterbox:
            region = CropRegion(all: source)
            placement = CropRegion(fitting: source, into: target)
        case .stretch:
            region = CropRegion(all: source)
            placement = CropRegion(all: target)
        }
    }
}

extension CropRegion {
    /// Creates the largest rectangle centered in `target` that has the aspect ratio of `source`.
    fileprivate init(fitting source: Resolution, into target: Resolution) {
        // One of the two is the target's own side, and the other one fits.
        let width = evenQuotient(target.height * source.width, source.height, in: target.width)
        let height = evenQuotient(target.width * source.height, source.width, in: target.height)
        self.init(
            x: evenMargin(of: width, in: target.width), y: evenMargin(of: height, in: target.height),
            resolution: Resolution(width: width, height: height))
    }
}

/// Returns the even number nearest to `a / b`, at least 2 and at most `side`.
private func evenQuotient(_ a: Int, _ b: Int, in side: Int) -> Int {
    min(side, max(2, (a + b) / (2 * b) * 2))
}

/// Returns the even number nearest to half of what `length` leaves of `side`.
private func evenMargin(of length: Int, in side: Int) -> Int {
    (side - length + 1) / 2 & ~1
}

/// How a picture is fitted into a target of another shape.
public enum AspectPolicy: String, Sendable, Equatable, CaseIterable {
    /// Crops what exceeds the target on two sides.
    case crop
    /// Keeps the whole picture, between black bars.
    case letterbox
    /// Keeps the whole picture, distorted.
    case stretch
}

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

extension MutableFrame {
    /// Fills the area around `picture` in an I420 frame with black, and leaves the inside unchanged.
    mutating func fillBlack(around picture: CropRegion, range: ColorSpace.Range) {
        guard picture.resolution != resolution else { return }
        let size = picture.resolution
        var planes = planes
        planes.y.fill(
            range == .limited ? 16 : 0, aroundColumns: picture.x..<picture.x + size.width,
            rows: picture.y..<picture.y + size.height)
        // A chroma sample that is partly inside the picture belongs to it.
        let columns = picture.x / 2..<(picture.x + size.width + 1) / 2
        let rows = picture.y / 2..<(picture.y + size.height + 1) / 2
        planes.u.fill(128, aroundColumns: columns, rows: rows)
        planes.v.fill(128, aroundColumns: columns, rows: rows)
    }
}

extension MutablePlane {
    /// Sets every sample outside of the rectangle to `value`.
    @_lifetime(self: copy self)
    fileprivate mutating func fill(_ value: UInt8, aroundColumns columns: Range<Int>, rows: Range<Int>) {
        let width = width
        for y in 0..<height {
            guard !rows.contains(y) || columns.count < width else { continue }
            var row = row(y)
            if rows.contains(y) {
                row.set(0..<columns.lowerBound, to: value)
                row.set(columns.upperBound..<width, to: value)
            } else {
                row.update(repeating: value)
            }
        }
    }
}

extension MutableSpan where Element == UInt8 {
    @_lifetime(self: copy self)
    fileprivate mutating func set(_ range: Range<Int>, to value: UInt8) {
        var part = _mutatingExtracting(range)
        part.update(repeating: value)
    }
}
