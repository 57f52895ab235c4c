import ArgumentParser
import Rill
import RillCore
import RillRTP
import RillTranscode

/// The options of a transcode that do not depend on the clip.
struct TranscodeOptions: ParsableArguments {
    @Option(help: "Bitrate of the output (default: depends on the size, 800k at 640x480).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "Bitrate of the low layer (default: 45k).", transform: bitrateNotation)
    var lowBitrate: Bitrate = LayerSettings.low.bitrate

    @Option(help: "Size of the output (default: the clip's own).", completion: .sizes, transform: resolutionNotation)
    var size: Resolution?

    @Option(
        help: "Maximum frame rate of the output (default: every frame of the clip).", completion: .frameRates,
        transform: frameRateNotation)
    var fps: FrameRate?

    @Option(help: "Codec of encoded outputs, \(codecValues).", completion: .codecs, transform: codecNotation)
    var codec: VideoCodec = .default

    /// The encoding effort per frame.
    enum Effort: String, EnumerableFlag {
        case realtime, good

        static func help(for value: Effort) -> ArgumentHelp? {
            switch value {
            case .realtime: "Encode like a live call, to the same bytes."
            case .good:
                ArgumentHelp(
                    "Encode in two passes with lookahead, for archives. About 3 dB better at the same bitrate for a "
                        + "webcam clip, with 12 times the instructions for VP8 and 46 times for VP9. Reads the clip twice."
                )
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
            "Cut the clip into N equal segments, each starting with a key frame, and encode them in parallel; auto "
                + "is one per 300 frames, at most 64, on any machine. Costs quality: 0.1 dB with 2 per minute, 0.5 dB "
                + "with 6."),
        completion: .list(["auto"]), transform: segmentNotation)
    var segments = SegmentCount.one

    @Option(
        help: """
            Number of jobs and segments at once (default: one per CPU). With --threads of 2 or more at most as many as \
            have a CPU for each thread: CPUs / threads. Does not change the output.
            """)
    var parallel: Int?

    @Option(help: "Threads of each encoder; fewer segments are encoded at once (--parallel). Changes the output.")
    var threads = 1

    @OptionGroup
    var content: ContentOptions

    @Option(
        help: """
            Beautify faces: natural, strong, or settings like \
            smoothness=0.7,lightening=0.3,contrast=high.
            """,
        completion: .beauty, transform: beautyNotation)
    var beauty: BeautyOptions?

    @OptionGroup
    var facesOptions: FacesOptions

    @Flag(
        help: """
            Show the clip beside what is made of it: with --beauty the result and the skin mask; otherwise the coded \
            pictures, which of their blocks were coded, and the error times ten, as pictures or as a page, .html.
            """)
    var compare = false

    @Flag(help: "Start a new .y4m or .yuv file, OUTPUT.2, OUTPUT.3, …, whenever the picture size changes.")
    var splitSizes = false

    @Flag(help: "Report the luma PSNR of the encoded outputs against the clip, in dB. Reads both again.")
    var psnr = false

    @OptionGroup(title: "Times")
    var times: TimeOptions

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    func validate() throws {
        if comparesCoding {
            guard effort == .realtime, fps == nil, segments == .one, !splitSizes, !psnr else {
                throw ValidationError(
                    "--compare without --beauty codes every picture of one size as in a call, and measures it: leave out --good, "
                        + "--fps, --segments, --split-sizes and --psnr")
            }
        }
        if let fps {
            var layer = LayerSettings.low
            layer.frameRate = fps
            do { try layer.validate() } catch { throw ValidationError("--fps \(fps): \(error)") }
        }
        guard (1...16).contains(threads) else {
            throw ValidationError("--threads must be from 1 to 16, not \(threads)")
        }
        guard (1...256).contains(parallel ?? 1) else {
            throw ValidationError("--parallel must be from 1 to 256, not \(parallel ?? 1)")
        }
        guard (0...63).contains(quality ?? 0) else {
            throw ValidationError("--quality must be from 0 (best) to 63, not \(quality ?? 0)")
        }
        guard quality == nil || bitrate == nil else {
            throw ValidationError("--quality sets the bitrate: leave out --bitrate")
        }
        if splitSizes, size != nil {
            throw ValidationError("--split-sizes keeps all sizes: leave out --size")
        }
        if times.constantRate, segments != .one || splitSizes || comparesCoding {
            throw ValidationError(
                "--constant-rate counts frames from the start of one output: leave out --segments, --split-sizes and --compare"
            )
        }
        if splitSizes, segments != .one { throw ValidationError("--split-sizes needs a single segment") }
    }

    /// How many jobs and segments run at once. Encoders with several threads wait for each other: where these have no
    /// processors of their own, they take several times the CPU.
    var partsAtOnce: Int {
        let wanted = parallel ?? Transcoder.processorCount
        return threads == 1 ? wanted : min(wanted, max(1, Transcoder.processorCount / threads))
    }

    /// A notice if there are more threads than processors for them; `nil` otherwise.
    ///
    /// - Parameter isSeveral: whether there are several jobs or segments.
    func noticeOfThreads(ofSeveral isSeveral: Bool) -> String? {
        let processors = Transcoder.processorCount
        let reason =
            "each encoder has \(threads) threads, and this process may use \(processors) "
            + "processor\(processors == 1 ? "" : "s")"
        if isSeveral, partsAtOnce < parallel ?? processors { return "\(partsAtOnce) at a time: \(reason)" }
        return threads > processors ? "\(reason): more threads than that take more time, not less" : nil
    }

    /// Whether the output shows what coding does.
    var comparesCoding: Bool { compare && beauty == nil }

    /// The layer of the output for a clip of that size and rate.
    func high(of resolution: Resolution, at sourceRate: FrameRate) -> LayerSettings {
        let size = size ?? resolution
        var high = LayerSettings.high(size, bitrate: bitrate ?? .suggested(for: size, codec: codec), codec: codec)
        high.encoder = encoder
        // Frames are dropped only if a rate was requested.
        if let fps, !times.constantRate { high.frameRate = fps } else { high = high.takingEveryFrame(of: sourceRate) }
        return high
    }

    /// The encoder's settings.
    var encoder: EncoderSettings {
        var settings: EncoderSettings = effort == .good ? .good(codec) : EncoderSettings(codec)
        settings.threadCount = threads
        content.apply(to: &settings)
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
        throw ValidationError("\"\(text)\" is not a number of segments: expected auto, or 1 to 1000")
    }
    return .count(count)
}
