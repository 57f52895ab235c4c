import RillCore

/// Combines the differences of many pictures from their sources into one figure.
///
/// PSNR is computed from the mean squared error over all pictures (what FFmpeg's `psnr` filter calls average). SSIM
/// is the mean over the pictures.
public struct QualityMeter: Sendable {
    /// The number of compared pictures.
    public private(set) var count = 0
    private var errors = PictureDifference.Planes(y: 0, u: 0, v: 0)
    private var similarities = PictureDifference.Planes(y: 0, u: 0, v: 0)

    /// Creates a meter without pictures.
    public init() {}

    /// Adds one picture.
    public mutating func add(_ difference: PictureDifference) {
        count += 1
        errors += difference.meanSquaredError
        similarities += difference.ssim
    }

    /// The PSNR in dB of the mean squared error over all pictures; `nil` before the first, infinite if all were
    /// equal.
    public var psnr: PictureDifference.Planes? {
        guard count > 0 else { return nil }
        return (errors / Double(count)).map(PictureDifference.psnr(ofMeanSquaredError:))
    }

    /// The mean structural similarity; `nil` before the first picture.
    public var ssim: PictureDifference.Planes? { count > 0 ? similarities / Double(count) : nil }
}

extension PictureDifference.Planes {
    fileprivate static func += (a: inout Self, b: Self) {
        a = Self(y: a.y + b.y, u: a.u + b.u, v: a.v + b.v)
    }
    fileprivate static func / (a: Self, divisor: Double) -> Self {
        a.map { $0 / divisor }
    }
    fileprivate func map(_ body: (Double) -> Double) -> Self {
        Self(y: body(y), u: body(u), v: body(v))
    }
}
