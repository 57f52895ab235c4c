/// What is asked of the encoder of one stream, whatever its codec is, beside size, frame rate and bitrate: in real time at a
/// constant bitrate, without lag, unless said otherwise. The defaults are for calls, ``good(_:)`` is for files.
///
///     var settings = EncoderSettings(.vp9)
///     settings.content = .screen
///
/// Numbers are on the scales of libvpx, and their defaults are those that it does best with. It obeys all of them, and refuses
/// what it has not; an own encoder (``VideoEncoder``) obeys those that it knows, and says which these are.
public struct EncoderSettings: Sendable, Equatable {
    /// What the pictures show.
    public enum Content: String, Sendable, Equatable, CaseIterable {
        /// People and places, by a camera.
        case camera
        /// Text, windows and slides: hard edges, large areas that stand still.
        case screen
    }

    /// How much work goes into a frame.
    public enum Effort: String, Sendable, Equatable, CaseIterable {
        /// As for a call: each frame is coded when it comes, knowing nothing of those behind it.
        case realtime
        /// As for an archive (`VPX_DL_GOOD_QUALITY`): frames are held back, so that the encoder knows what follows, and the
        /// bitrate goes where it is needed (VBR). After a first pass over the clip it knows all of it. Not for a call: its
        /// last frames come with ``VideoEncoder/finish(_:)`` alone.
        case good
    }

    /// The codec. It does not change while an encoder lives.
    public let codec: VideoCodec
    /// How much work goes into a frame. It does not change while an encoder lives.
    public var effort = Effort.realtime
    /// Constant quality instead of a bitrate, whatever it takes: 0 (best) to 63, as `--cq-level` of vpxenc and `-crf`
    /// of FFmpeg count it; `nil` keeps to the bitrate.
    public var quality: Int?
    /// The most frames that are held back before the first one comes out, 0 to 25: of ``Effort/good`` alone.
    public var lagInFrames = 25
    /// What the pictures show; may change at any frame.
    public var content = Content.camera
    /// The quantizers that the rate control may choose from, 0 (best) to 63: 2...56 for VP8, 2...52 for VP9.
    public var quantizers: ClosedRange<Int>
    /// Threads of the encoder, 1 to 16. The bytes depend on it: more threads, other bytes. VP9 also cuts the
    /// picture into as many columns of tiles, where it is wide enough.
    public var threadCount = 1
    /// The trade of speed for quality (`cpu_used` of libvpx), always of the kind that no clock has a say in: -16 (fastest)
    /// to -1 for VP8, 5 to 9 (fastest) for VP9; with ``Effort/good`` 0 to 5 (fastest). `nil` chooses by the size of the
    /// pictures, and with ``Effort/good`` 0 for VP8, 1 for VP9.
    public var speed: Int?
    /// How the frames are spread over temporal layers, each of which gets its share of the bitrate.
    public var temporalPattern = TemporalPattern.l1t1
    /// Frames from one key frame to the next at the most, when nobody asks for one.
    public var maximumKeyFrameInterval = 3000
    /// Blocks that changed less than this are not coded; 0 codes all.
    public var staticThreshold = 1
    /// Whether noise is taken out in time before coding, by libvpx's own filter: up to a quarter more encoder time. It
    /// gains where a camera is noisy, and takes detail for noise where it is not (figures: Benchmarks/README.md).
    public var isDenoising = false
    /// The largest key frame, in percent of the bits of a mean frame; 0 sets no limit.
    public var maximumKeyFramePercentage = 0
    /// How empty the rate control's buffer may run, in percent, before frames are left out; 0 leaves out none. Not with
    /// temporal layers of VP8: libvpx (1.12) then makes frames that cannot be decoded.
    public var dropThreshold = 0
    /// How far the rate may fall below its target, in percent of it.
    public var undershootPercentage: Int
    /// How far the rate may rise above its target, in percent of it.
    public var overshootPercentage: Int
    /// The decoder's buffer that the rate control reckons with.
    public var bufferSize = MediaDuration.milliseconds(1000)
    /// How full that buffer is when the stream starts.
    public var initialBufferLevel = MediaDuration.milliseconds(500)
    /// How full the rate control tries to keep it.
    public var optimalBufferLevel = MediaDuration.milliseconds(600)

    /// The settings for a call with that codec.
    public init(_ codec: VideoCodec = .vp8) {
        self.codec = codec
        switch codec {
        case .vp8:
            (quantizers, undershootPercentage, overshootPercentage) = (2...56, 100, 15)
        default:
            (quantizers, undershootPercentage, overshootPercentage) = (2...52, 50, 50)
        }
    }

    /// The settings for a file that takes its time: the rate control of libvpx's own defaults for variable bitrates, all
    /// quantizers, a key frame at least every 240 frames so that players can seek.
    public static func good(_ codec: VideoCodec = .vp8) -> EncoderSettings {
        var settings = EncoderSettings(codec)
        settings.effort = .good
        settings.quantizers = 0...63
        settings.staticThreshold = 0
        settings.maximumKeyFrameInterval = 240
        (settings.undershootPercentage, settings.overshootPercentage) = codec == .vp8 ? (100, 100) : (25, 25)
        settings.bufferSize = .seconds(6)
        settings.initialBufferLevel = .seconds(4)
        settings.optimalBufferLevel = .seconds(5)
        return settings
    }
}
