public import RillCore

/// When a stream gives something up, and when it takes it back.
public struct AdaptationSettings: Equatable, Sendable {
    /// What is given up first.
    public var preference = DegradationPreference.balanced
    /// Encode time against frame interval: above the upper bound for a second the encoder is too slow; a step up is
    /// taken only where it is expected to stay below the upper bound by a tenth.
    public var usage = 0.45...0.85
    /// Mean quantizer index of VP8 (0 to 127): above the upper bound the pictures are too coarse for their size, below
    /// the lower one there is room for larger ones.
    public var vp8Quantizer = 29.0...95.0
    /// The same of VP9 (0 to 255).
    public var vp9Quantizer = 149.0...205.0
    /// The share of frames dropped before or in the encoder from which on the stream is too much.
    public var dropShare = 0.4
    /// The time that is looked at before each decision, and the pause after it.
    public var window = MediaDuration.seconds(2)
    /// How long things have to be good before a step up; doubled each time that a step up had to be taken back soon.
    public var recoveryDelay = MediaDuration.seconds(10)
    /// The longest that the delay is doubled to.
    public var maximumRecoveryDelay = MediaDuration.seconds(240)
    /// Pictures do not become smaller than this.
    public var minimumResolution = Resolution(width: 160, height: 90)
    /// Nor does the rate fall below this.
    public var minimumFrameRate: FrameRate = 5

    /// The defaults: those of libwebrtc where it has them.
    public init() {}

    /// The range of a codec; `nil` of one whose scale is not known here: its quantizers then say nothing.
    func quantizer(of codec: VideoCodec) -> ClosedRange<Double>? {
        switch codec {
        case .vp8: vp8Quantizer
        case .vp9: vp9Quantizer
        default: nil
        }
    }
}
