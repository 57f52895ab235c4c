public import RillCore

/// How a picture gets into a target of another size: which part of it is kept, and which part of the target that fills.
///
///     let fit = PictureFit(.hd720, into: .vga, .letterbox)
///     fit.placement        // 640x360 at 0,60: bars of 60 rows above and below
///     frame.scaled(fit, into: pool)
///
/// A pure value of whole numbers. Both have square pixels, and the aspect is kept to a pixel of the target, or of the
/// source where that is cut.
public struct PictureFit: Hashable, Sendable {
    /// The part of the source that is kept.
    public let region: CropRegion
    /// The part of the target that it fills; the rest is black.
    ///
    /// A side of it that does not reach over the whole target is even and at least 2; the bars on both sides differ by at
    /// most two pixels.
    public let placement: CropRegion

    /// The fit of a picture of size `source` into `target`.
    public init(_ source: Resolution, into target: Resolution, _ policy: AspectPolicy) {
        switch policy {
        case .crop:
            region = CropRegion(centredIn: source, withAspectOf: target)
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
    /// The largest rectangle in the middle of `target` that has the aspect of `source`.
    fileprivate init(fitting source: Resolution, into target: Resolution) {
        // One of the two is the target's own side, and the other one fits.
        let width = evenQuotient(target.height * source.width, source.height, in: target.width)
        let height = evenQuotient(target.width * source.height, source.width, in: target.height)
        self.init(
            x: evenMargin(of: width, in: target.width), y: evenMargin(of: height, in: target.height),
            resolution: Resolution(width: width, height: height))
    }
}

/// The even number nearest to `a / b`, at least 2; `side` itself where that is no larger.
private func evenQuotient(_ a: Int, _ b: Int, in side: Int) -> Int {
    min(side, max(2, (a + b) / (2 * b) * 2))
}

/// The even number nearest to half of what `length` leaves of `side`.
private func evenMargin(of length: Int, in side: Int) -> Int {
    (side - length + 1) / 2 & ~1
}
