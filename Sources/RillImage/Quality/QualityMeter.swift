import RillCore

/// Gathers the differences of many pictures from their sources into one figure.
///
/// PSNR is taken of the mean squared error over all pictures (what FFmpeg's `psnr` filter calls average); SSIM is the
/// mean over the pictures.
public struct QualityMeter: Sendable {
    /// Pictures compared.
    public private(set) var count = 0
    private var errors = PictureDifference.Planes(y: 0, u: 0, v: 0)
    private var similarities = PictureDifference.Planes(y: 0, u: 0, v: 0)

    /// A meter that has seen nothing.
    public init() {}

    /// Adds one picture.
    public mutating func add(_ difference: PictureDifference) {
        count += 1
        errors += difference.meanSquaredError
        similarities += difference.ssim
    }

    /// PSNR in dB of the mean squared error over all pictures; `nil` before the first, infinite if all were equal.
    public var psnr: PictureDifference.Planes? {
        guard count > 0 else { return nil }
        return (errors / Double(count)).map(PictureDifference.psnr(ofMeanSquaredError:))
    }

    /// Mean structural similarity; `nil` before the first picture.
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
