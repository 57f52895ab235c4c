import ArgumentParser
import Rill
import RillCore
import RillTranscode

/// What is made of a clip, whichever clip it is.
struct TranscodeOptions: ParsableArguments {
    @Option(help: "Bitrate of the output (default: by its size, 800k at 640x480).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "Bitrate of the low layer (default: 45k).", transform: bitrateNotation)
    var lowBitrate: Bitrate = LayerSettings.low.bitrate

    @Option(help: "Size of the output (default: the clip's own).", completion: .sizes, transform: resolutionNotation)
    var size: Resolution?

    @Option(
        help: "Most frames a second of the output (default: every frame of the clip).", completion: .frameRates,
        transform: frameRateNotation)
    var fps: FrameRate?

    @Option(help: "What coded outputs are coded with, vp8 or vp9.", completion: .codecs, transform: codecNotation)
    var codec: VideoCodec = .vp8

    /// How much work goes into a frame.
    enum Effort: String, EnumerableFlag {
        case realtime, good

        static func help(for value: Effort) -> ArgumentHelp? {
            switch value {
            case .realtime: "Code as a live call does: the same bytes."
            case .good:
                ArgumentHelp(
                    "Code in two passes, looking ahead: for archives. About 3 dB better at the same bitrate on a webcam's "
                        + "clip, at 12 times the instructions with VP8 and 46 times with VP9. Reads the clip twice.")
            }
        }
    }

    @Flag var effort = Effort.realtime

    @Option(
        name: [.long, .customLong("crf")],
        help: ArgumentHelp(
            "Constant quality instead of a bitrate, 0 (best) to 63: --cq-level of vpxenc, -crf of ffmpeg. Archives look "
                + "good from about 10 to 30."))
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            "Cut the clip into N even segments, each beginning with a key frame, and code them at once; auto takes one "
                + "for each 300 frames, 64 at most, whatever the machine. Costs quality: 0.1 dB with 2 in a minute, 0.5 dB "
                + "with 6."),
        completion: .list(["auto"]), transform: segmentNotation)
    var segments = SegmentCount.one

    @Option(help: "Jobs and segments in work at once (default: one for each processor). It changes no byte.")
    var parallel: Int?

    @Option(help: "Threads of each encoder; more of them give other bytes.")
    var threads = 1

    @Option(help: "What the pictures show; a screen that stands still is coded once a second.")
    var content = ContentChoice.camera

    @Option(
        help: """
            Make faces beautiful: natural, strong, or as in \
            smoothness=0.7,lightening=0.3,contrast=high.
            """,
        completion: .beauty, transform: beautyNotation)
    var beauty: BeautyOptions?

    @Flag(help: "With --beauty: show the clip, what becomes of it, and the mask of its skin, side by side.")
    var compare = false

    @Flag(help: "Begin a new .y4m or .yuv file, OUTPUT.2, OUTPUT.3, …, where the clip's pictures change their size.")
    var splitSizes = false

    @Flag(help: "Say how near the coded outputs come to the clip: PSNR of luma, in dB. Reads both again.")
    var psnr = false

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    func validate() throws {
        if compare, beauty == nil { throw ValidationError("--compare shows what --beauty does: give one") }
        if let fps {
            var layer = LayerSettings.low
            layer.frameRate = fps
            do { try layer.validate() } catch { throw ValidationError("--fps \(fps): \(error)") }
        }
        guard (1...16).contains(threads) else { throw ValidationError("--threads goes from 1 to 16, not \(threads)") }
        guard (1...256).contains(parallel ?? 1) else {
            throw ValidationError("--parallel goes from 1 to 256, not \(parallel ?? 1)")
        }
        guard (0...63).contains(quality ?? 0) else {
            throw ValidationError("--quality goes from 0 (best) to 63, not \(quality ?? 0)")
        }
        guard quality == nil || bitrate == nil else {
            throw ValidationError("--quality takes what bitrate it needs: leave out --bitrate")
        }
        if splitSizes, size != nil {
            throw ValidationError("--split-sizes leaves all sizes as they are, --size none")
        }
        if splitSizes, segments != .one { throw ValidationError("--split-sizes goes with one segment") }
    }

    /// The encoder's settings.
    var encoder: EncoderSettings {
        var settings: EncoderSettings = effort == .good ? .good(codec) : EncoderSettings(codec)
        settings.threadCount = threads
        settings.content = content.content
        if let quality {
            settings.quality = quality
            settings.quantizers = 0...63
        }
        return settings
    }
}

/// `auto`, or a number of segments.
@Sendable func segmentNotation(_ text: String) throws -> SegmentCount {
    if text == "auto" { return .automatic }
    guard let count = Int(text), (1...1000).contains(count) else {
        throw ValidationError("\"\(text)\" is no number of segments: expected auto, or 1 to 1000")
    }
    return .count(count)
}
