internal import CYUV
import Glibc
public import RillCore

/// The difference between two pictures of the same size: squared error and structural similarity, plane by plane.
///
/// ```swift
/// let difference = PictureDifference(between: shown, and: source)
/// print(difference.psnr.y, difference.ssim.y)
/// ```
///
/// PSNR is 10 log10(255² / mean squared error) dB. SSIM is libyuv's: windows of 8x8 samples at every fourth sample
/// (after Wang et al., "Image Quality Assessment", 2004). It is NaN for planes with a side of 8 samples or less.
public struct PictureDifference: Sendable {
    /// A value for each plane.
    public struct Planes: Sendable, Equatable {
        /// Luma.
        public var y: Double
        /// Blue-difference chroma.
        public var u: Double
        /// Red-difference chroma.
        public var v: Double

        /// Creates a value for each of the three planes, in any unit.
        public init(y: Double, u: Double, v: Double) {
            self.y = y
            self.u = u
            self.v = v
        }
    }

    /// The mean squared error per sample, in code values squared.
    public let meanSquaredError: Planes
    /// The structural similarity, 1 for equal planes; NaN if a plane is too small for a window.
    public let ssim: Planes

    /// Compares two I420 pictures. Traps if their sizes differ.
    public init(between a: VideoFrame, and b: VideoFrame) {
        precondition(
            a.resolution == b.resolution && a.format == .i420 && b.format == .i420,
            "only I420 pictures of one size can be compared, not \(a.resolution) with \(b.resolution)")
        self.meanSquaredError = Planes { a.meanSquaredError(to: b, plane: $0) }
        self.ssim = Planes { a.ssim(to: b, plane: $0) }
    }

    /// The peak signal-to-noise ratio in dB; infinite for equal planes.
    public var psnr: Planes {
        Planes(
            y: Self.psnr(ofMeanSquaredError: meanSquaredError.y), u: Self.psnr(ofMeanSquaredError: meanSquaredError.u),
            v: Self.psnr(ofMeanSquaredError: meanSquaredError.v))
    }

    /// Returns the PSNR in dB for a mean squared error; infinite for 0.
    public static func psnr(ofMeanSquaredError error: Double) -> Double {
        error == 0 ? .infinity : 10 * log10(255 * 255 / error)
    }
}

extension PictureDifference.Planes {
    fileprivate init(_ value: (Int) -> Double) {
        self.init(y: value(0), u: value(1), v: value(2))
    }
}

extension VideoFrame {
    fileprivate func meanSquaredError(to other: VideoFrame, plane: Int) -> Double {
        let size = layout[plane: plane]
        // Both frames have planes of this size; libyuv reads no further.
        let sum = unsafe ComputeSumSquareErrorPlane(
            pointer(plane: plane), Int32(stride(plane)), other.pointer(plane: plane), Int32(other.stride(plane)),
            Int32(size.width), Int32(size.height))
        return Double(sum) / Double(size.width * size.height)
    }

    fileprivate func ssim(to other: VideoFrame, plane: Int) -> Double {
        let size = layout[plane: plane]
        guard size.width > 8, size.height > 8 else { return .nan }
        // Both frames have planes of this size; libyuv reads no further.
        return unsafe CalcFrameSsim(
            pointer(plane: plane), Int32(stride(plane)), other.pointer(plane: plane), Int32(other.stride(plane)),
            Int32(size.width), Int32(size.height))
    }
}

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
