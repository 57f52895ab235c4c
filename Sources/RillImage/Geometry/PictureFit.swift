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
