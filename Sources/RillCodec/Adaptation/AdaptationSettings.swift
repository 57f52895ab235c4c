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
