import Glibc
import RillCore
import RillRTP

/// How the bytes of libvpx's frames follow from quantizer index, picture size and frame rate: power laws that were
/// fitted to measurements.
///
/// The measurements are of libvpx 1.12 in real time, with a webcam's clip from 160x90 to 1280x720, 5 to 30 frames per
/// second, 40 kbit/s to 2.5 Mbit/s. With another clip all numbers of bytes change by one factor, which callers measure;
/// the powers hardly change.
struct QuantizerModel: Sendable {
    /// Added to the index before powers are taken.
    private let offset: Double
    /// The power by which bytes fall with the index, after a while at that quantizer.
    private let steadyPower: Double
    /// The power by which the next frame's bytes fall with its index: while its reference is finer than itself, there
    /// is less to code.
    private let stepPower: Double
    /// The power by which the bytes of a picture without a usable reference fall with the index.
    private let intraPower: Double
    /// The bytes of such a picture at ``intraIndex``, per pixel to the power of ``pixelPower``.
    let intraFactor: Double
    private let intraIndex: Double
    /// The coarsest index.
    let maximumIndex: Int
    /// The power by which bytes grow with the number of pixels.
    static let pixelPower = 0.69
    /// The power by which the bitrate grows with the frame rate.
    static let frameRatePower = 0.5

    /// The model of a codec; `nil` if the scale of its quantizers is unknown.
    init?(_ codec: VideoCodec) {
        switch codec {
        case .vp8:
            (offset, steadyPower, stepPower, intraPower) = (11, 1.38, 1.75, 1.25)
            (intraFactor, intraIndex, maximumIndex) = (0.7, 88, 127)
        case .vp9:
            (offset, steadyPower, stepPower, intraPower) = (173, 5, 6, 4.5)
            (intraFactor, intraIndex, maximumIndex) = (0.383, 216, 255)
        default: return nil
        }
    }

    /// Returns the factor by which bytes change from one quantizer index to another, once the encoder has converged.
    func ratio(from index: Int, to other: Double) -> Double {
        pow((Double(index) + offset) / (other + offset), steadyPower)
    }

    /// Returns the index at which a frame like one of `byteCount` bytes at `index` has `target` bytes, once the encoder
    /// has converged.
    func steadyIndex(for target: Double, after byteCount: Int, at index: Int) -> Int {
        self.index(for: target, Double(byteCount), at: Double(index), steadyPower)
    }

    /// Returns the index at which the frame after one of `byteCount` bytes at `index` has `target` bytes.
    func nextIndex(for target: Double, after byteCount: Int, at index: Int) -> Int {
        self.index(for: target, Double(byteCount), at: Double(index), stepPower)
    }

    /// Returns the index at which a picture without a usable reference has `target` bytes.
    ///
    /// - Parameters:
    ///   - target: the bytes.
    ///   - factor: ``intraFactor``, or a measured one.
    ///   - pixelCount: the size of the picture.
    func intraIndex(for target: Double, factor: Double, pixelCount: Int) -> Int {
        index(for: target, factor * pow(Double(pixelCount), Self.pixelPower), at: intraIndex, intraPower)
    }

    /// Returns the ``intraFactor`` of a frame with this many bytes at that index.
    func intraFactor(of byteCount: Int, at index: Int, pixelCount: Int) -> Double {
        let bytes = Double(byteCount) * pow((Double(index) + offset) / (intraIndex + offset), intraPower)
        return bytes / pow(Double(pixelCount), Self.pixelPower)
    }

    private func index(for target: Double, _ byteCount: Double, at index: Double, _ power: Double) -> Int {
        guard target > 0 else { return maximumIndex }
        let result = (index + offset) * pow(byteCount / target, 1 / power) - offset
        return Int(min(max(result, 0), Double(maximumIndex)))
    }
}

extension QuantizerModel {
    /// Returns a quantizer of libvpx's settings, 0 to 63, whose index is at least `index`, and hardly more.
    static func setting(atLeast index: Int, of codec: VideoCodec) -> Int {
        func steps(_ count: Int, from start: Int) -> Int { (max(0, index - start) + count - 1) / count }
        switch codec {
        // Setting n has the index 4n, 62 has 249, and 63 has 255.
        case .vp9: return index > 249 ? 63 : min(62, steps(4, from: 0))
        // Setting 26 has the index 31, 41 has 61, 63 has 127; below 26 no setting's index is smaller than its number.
        default:
            return index <= 31
                ? min(max(0, index), 26) : min(index <= 61 ? 26 + steps(2, from: 31) : 41 + steps(3, from: 61), 63)
        }
    }
}
