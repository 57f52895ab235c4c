/// The settings of one stream's encoder, for any codec, except size, frame rate and bitrate.
///
/// By default an encoder works in real time at a constant bitrate and without lag, for calls. RillCodec's
/// `EncoderSettings.good(_:)` is for files.
///
/// ```swift
/// var settings = EncoderSettings(.vp9)
/// settings.content = .screen
/// ```
///
/// Numbers use libvpx's scales; the defaults are those that work best with it. The libvpx encoder obeys all settings
/// and refuses those that it does not support. A custom encoder (``VideoEncoder``) obeys those that it knows, and
/// should document them.
public struct EncoderSettings: Sendable, Equatable {
    /// The kind of content.
    public enum Content: String, Sendable, Equatable, CaseIterable {
        /// People and places, filmed by a camera.
        case camera
        /// Text, windows and slides: hard edges, and large areas that do not move.
        case screen
    }

    /// How much work the encoder spends on a frame.
    public enum Effort: String, Sendable, Equatable, CaseIterable {
        /// For calls: each frame is coded when it arrives, without knowledge of later frames.
        case realtime
        /// For files (`VPX_DL_GOOD_QUALITY`): the encoder holds frames back to know what follows, and the bitrate is
        /// variable (VBR). After a first pass over the clip it knows all of it. Not for calls: the last frames only
        /// come out of ``VideoEncoder/finish(_:)``.
        case good
    }

    /// The codec. It is fixed for an encoder's life.
    public let codec: VideoCodec
    /// How much work the encoder spends on a frame. It is fixed for an encoder's life.
    public var effort = Effort.realtime
    /// Constant quality instead of a target bitrate: 0 (best) to 63, on the scale of vpxenc's `--cq-level` and
    /// FFmpeg's `-crf`. `nil` keeps the target bitrate.
    public var quality: Int?
    /// The maximum number of frames held back before the first one comes out, 0 to 25. Only for ``Effort/good``.
    public var lagInFrames = 25
    /// The kind of content. It may change at any frame.
    public var content = Content.camera
    /// The quantizers that the rate control may use, 0 (best) to 63. Default: 2...56 for VP8, 2...52 for VP9.
    public var quantizers: ClosedRange<Int>
    /// The number of encoder threads, 1 to 16. The coded bytes depend on it. VP9 also splits the picture into as many
    /// tile columns, if it is wide enough.
    public var threadCount = 1
    /// The trade of quality for speed (`cpu_used` of libvpx): -16 (fastest) to -1 for VP8, 5 to 9 (fastest) for VP9;
    /// with ``Effort/good``, 0 to 5 (fastest). These ranges hold only modes that do not depend on a clock. `nil`
    /// chooses by the size of the pictures; with ``Effort/good`` it means 0 for VP8 and 1 for VP9.
    public var speed: Int?
    /// How the frames are spread over temporal layers. Each layer gets its share of the bitrate.
    public var temporalPattern = TemporalPattern.l1t1
    /// The maximum number of frames from one key frame to the next, if none is requested.
    public var maximumKeyFrameInterval = 3000
    /// Blocks that changed less than this are not coded. 0 codes all blocks.
    public var staticThreshold = 1
    /// Whether libvpx's temporal denoiser runs before coding. It takes up to a quarter more encoder time. It helps
    /// with a noisy camera; without noise it removes detail (figures: Benchmarks/README.md).
    public var isDenoising = false
    /// Whether macroblocks that stand still are left as the decoder has them, instead of being coded again. The encoder
    /// then takes fewer instructions for a camera that does not move, and as many for one that does (figures:
    /// Benchmarks/README.md). Only VP8 in real time, of a camera's pictures, without ``isDenoising``; otherwise it does
    /// nothing. Off here, so that libvpx's own tools give the same bytes; on in
    /// ``/RillCodec/LayerSettings/high(_:bitrate:codec:)`` and ``/RillCodec/LayerSettings/low(_:)``.
    public var skipsStillBlocks = false
    /// The maximum size of a key frame, in percent of the bits of an average frame. 0 sets no limit.
    public var maximumKeyFramePercentage = 0
    /// The level of the rate control's buffer, in percent, below which frames are dropped. 0 drops none. It must be 0
    /// with temporal layers of VP8: libvpx (1.12) would then produce frames that cannot be decoded.
    public var dropThreshold = 0
    /// How far the rate may fall below its target, in percent of the target.
    public var undershootPercentage: Int
    /// How far the rate may rise above its target, in percent of the target.
    public var overshootPercentage: Int
    /// The size of the decoder's buffer that the rate control assumes.
    public var bufferSize = MediaDuration.milliseconds(1000)
    /// The level of that buffer when the stream starts.
    public var initialBufferLevel = MediaDuration.milliseconds(500)
    /// The buffer level that the rate control aims for.
    public var optimalBufferLevel = MediaDuration.milliseconds(600)
    /// The longest time that a key frame or the first frame of a scene takes at the target bitrate, 10 ms to 10 s: for
    /// a network with a short queue. `nil` sets no limit; such frames then have 5 to 9 times the mean size.
    ///
    /// With a limit, such frames are coded more coarsely and the following ones refine them; slow layers may use 1.75
    /// average frames. Frames also follow a lower target at once, where libvpx would spend what it saved before. Only
    /// for ``Effort/realtime``. Quantizers stay within ``quantizers``, so that a frame may exceed the limit at low
    /// bitrates.
    public var burstLimit: MediaDuration?

    /// Creates the settings for a call with these values for the rate control; all else has its default. RillCodec has
    /// values that suit its codecs: `EncoderSettings(_:)`, `EncoderSettings.good(_:)`.
    public init(
        _ codec: VideoCodec, quantizers: ClosedRange<Int>, undershootPercentage: Int, overshootPercentage: Int
    ) {
        self.codec = codec
        self.quantizers = quantizers
        self.undershootPercentage = undershootPercentage
        self.overshootPercentage = overshootPercentage
    }
}
