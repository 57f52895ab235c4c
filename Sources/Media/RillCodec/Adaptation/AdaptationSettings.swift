public import RillCore
import RillRTP

/// The thresholds and limits of a stream's adaptation.
public struct AdaptationSettings: Equatable, Sendable {
    /// The property that is reduced first.
    public var preference = DegradationPreference.balanced
    /// Encode time relative to the frame interval. Above the upper bound the encoder is too slow. A step up needs a
    /// value below the lower bound, or an expected value below nine tenths of the upper bound.
    public var usage = 0.45...0.85
    /// The mean quantizer index of VP8 (0 to 127). Above the upper bound the pictures are too coarse for their size;
    /// below the lower bound there is headroom for larger ones.
    public var vp8Quantizer = 29.0...95.0
    /// The same for VP9 (0 to 255).
    public var vp9Quantizer = 149.0...205.0
    /// The share of frames dropped before or in the encoder above which the stream steps down.
    public var dropShare = 0.4
    /// The time that is observed before each decision.
    public var window = MediaDuration.seconds(2)
    /// How long conditions must be good before a step up. It doubles each time a step up is soon reverted.
    public var recoveryDelay = MediaDuration.seconds(10)
    /// The longest recovery delay.
    public var maximumRecoveryDelay = MediaDuration.seconds(240)
    /// How long the bitrate that a network leaves a layer must suffice for larger or more pictures before they come
    /// back. It doubles, up to a minute, each time that they are soon too much again. Without a bitrate of a network it
    /// has no effect.
    public var bitrateRecoveryDelay = MediaDuration.seconds(3)
    /// Pictures do not become smaller than this.
    public var minimumResolution = Resolution(width: 160, height: 90)
    /// The frame rate does not fall below this.
    public var minimumFrameRate: FrameRate = 5

    /// Creates settings with the defaults: those of libwebrtc where it has them.
    public init() {}

    /// Returns the quantizer range of a codec; `nil` if its scale is unknown, so that its quantizers are ignored.
    func quantizer(of codec: VideoCodec) -> ClosedRange<Double>? {
        switch codec {
        case .vp8: vp8Quantizer
        case .vp9: vp9Quantizer
        default: nil
        }
    }
}

extension AdaptationSettings {
    /// Returns the next reduction of a layer; `nil` if there is nothing left to reduce.
    ///
    /// - Parameters:
    ///   - degradation: the current reduction.
    ///   - resolution: the layer's size without reduction.
    ///   - frameRate: the layer's frame rate without reduction.
    func next(after degradation: Degradation, of resolution: Resolution, at frameRate: FrameRate) -> Degradation? {
        let size = degradation.applied(to: resolution)
        let smaller = degradation.smaller.applied(to: resolution)
        let canShrink = smaller.pixelCount >= minimumResolution.pixelCount && smaller != size
        let slower = degradation.slower.applied(to: frameRate)
        let canSlow = slower.framesPerSecond >= minimumFrameRate.framesPerSecond
        switch preference {
        case .maintainFramerate: return canShrink ? degradation.smaller : nil
        case .maintainResolution: return canSlow ? degradation.slower : nil
        case .balanced:
            let isStillSmooth = slower.framesPerSecond >= Self.smoothRate(for: size)
            if canSlow, isStillSmooth || !canShrink { return degradation.slower }
            return canShrink ? degradation.smaller : nil
        }
    }

    /// Returns the frame rate to keep for a size as long as the pictures can still become smaller.
    private static func smoothRate(for resolution: Resolution) -> Double {
        switch resolution.pixelCount {
        case ...(320 * 240): 7
        case ...(480 * 360): 10
        case ...(640 * 480): 15
        default: .infinity
        }
    }
}

/// The property that a stream reduces first when processor or network are insufficient, with the names of W3C
/// mst-content-hint (`RTCDegradationPreference`).
public enum DegradationPreference: String, Equatable, Sendable, CaseIterable {
    /// Keep the frame rate and reduce the size.
    case maintainFramerate = "maintain-framerate"
    /// Keep the size and reduce the frame rate: for text and slides.
    case maintainResolution = "maintain-resolution"
    /// Reduce the frame rate of small pictures, and the size of large ones.
    case balanced
}
