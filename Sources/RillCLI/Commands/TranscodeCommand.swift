import ArgumentParser
import Rill
import RillContainers
import RillPages

/// `rill transcode`: clips to clips, offline.
struct TranscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcode",
        abstract: "Turn a clip into VP8, VP9 or pictures, offline: the same bytes every time.",
        usage: "rill transcode <input> <output> [<options>]",
        discussion: """
            Reads .y4m, .ivf (VP8, VP9), .yuv, .i420 and .nv12, and by FFmpeg's libraries what they read: .mp4, .mkv, \
            .webm, .mov, .avi, .ts, .gif and others. Writes .ivf (VP8 or VP9, the bytes that the live pipeline would \
            make), .y4m (the pictures: decoded exactly, cut, scaled and thinned out where that is asked for) or .png \
            (the first picture).

            Where the pictures of an .ivf change their size, those of a later size are scaled to the first, whole, \
            between black bars if their shape is another. With --split-sizes each size goes to a file of its own as \
            it is: out.y4m, out.2.y4m, out.3.y4m and so on.

            Examples:
              rill transcode clip.y4m high.ivf --bitrate 1500k --low low.ivf
              rill transcode high.ivf shown.y4m
              rill transcode call.ivf call.y4m --split-sizes
              rill transcode clip.y4m small.y4m --size 320x240 --fps 15
              rill transcode capture.yuv out.ivf --raw-size 640x480
              rill transcode clip.y4m beautiful.y4m --beauty natural
              rill transcode clip.y4m looks.png --beauty strong --compare
            """)

    @Argument(help: "The clip to read; - is Y4M on standard input.")
    var input: String

    @Argument(help: "The file to write, .ivf, .y4m or .png; - is Y4M on standard output.")
    var output: String

    @Option(help: "Also write the low layer, 160x120 at 5 frames a second, to this file, .ivf or .y4m.")
    var low: String?

    @Option(help: "Bitrate of the output (default: by its size, 800k at 640x480).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "Bitrate of the low layer (default: 45k).", transform: bitrateNotation)
    var lowBitrate: Bitrate = LayerSettings.low.bitrate

    @Option(help: "Size of the output (default: the clip's own).", transform: resolutionNotation)
    var size: Resolution?

    @Option(help: "Most frames a second of the output (default: the clip's own rate).", transform: frameRateNotation)
    var fps: FrameRate?

    @Option(help: "What .ivf outputs are coded with, vp8 or vp9.", transform: codecNotation)
    var codec: VideoCodec = .vp8

    @Flag(help: "Begin a new .y4m or .yuv file, OUTPUT.2, OUTPUT.3, …, where the clip's pictures change their size.")
    var splitSizes = false

    @Option(help: "Threads of the encoder; more of them give other bytes.")
    var threads = 1

    @Option(help: "What the pictures show; a screen that stands still is coded once a second.")
    var content = ContentChoice.camera

    @Option(
        help: """
            Make faces beautiful: natural, strong, or as in \
            smoothness=0.7,lightening=0.3,contrast=high.
            """,
        transform: beautyNotation)
    var beauty: BeautyOptions?

    @Flag(help: "With --beauty: show the clip, what becomes of it, and the mask of its skin, side by side.")
    var compare = false

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    func run() throws {
        let start = Measurement.now
        let opened = try clipOptions.open(input)
        let decoded = opened as? DecodedSource
        let container = opened as? ContainerSource
        let mayChangeSize = decoded != nil || container != nil
        let steady = mayChangeSize && !splitSizes ? try SteadySizeSource(opened) : opened
        let source = try beautified(steady)
        if format(of: output) == .png { return try writePicture(of: source) }
        let resolution = size ?? source.format.resolution
        var high = LayerSettings.high(
            resolution, bitrate: bitrate ?? .suggested(for: resolution, codec: codec), codec: codec)
        high.frameRate = fps ?? source.format.frameRate ?? 30
        high.encoder.threadCount = threads
        high.encoder.content = content.content
        let rate = source.format.frameRate ?? 30
        let range = decoded?.range ?? .limited
        let parts = splitSizes ? makeParts(.slower(high.frameRate, rate), range) : nil
        var outputs = [try parts.map { .wholePictures(high, $0) } ?? makeOutput(output, high, rate, range)]
        if let low {
            var layer = LayerSettings.low(codec)
            layer.bitrate = lowBitrate
            layer.encoder.content = content.content
            outputs.append(try makeOutput(low, layer, rate, range))
        }
        let bar = ProgressBar("transcode", total: source.format.frameCount)
        let report = try Transcoder(source: source, outputs: outputs).run { bar.update($0) }
        bar.finish()
        try show(report, outputs, parts?.parts, skipped: decoded?.framesSkipped ?? 0)
        StandardError.print(Measurement.now.since(start).text)
        if let decoded, let failure = decoded.firstFailure {
            StandardError.print("\(decoded.framesSkipped) frames could not be decoded; the first because \(failure)")
            throw ExitCode.failure
        }
        if let container, let refusal = container.firstRefusal {
            StandardError.print(
                "\(container.packetsRefused) packets could not be decoded; the first because: \(refusal)")
            throw ExitCode.failure
        }
        if let failure = report.sourceFailure {
            StandardError.print("the clip ended early, after \(report.framesRead) frames: \(failure)")
            throw ExitCode.failure
        }
    }

    private func beautified(_ source: any FrameSource) throws -> any FrameSource {
        guard let beauty else { return source }
        return compare
            ? try BeautyComparison(source, options: beauty) : BeautySource(source, options: beauty)
    }

    /// The first picture alone.
    private func writePicture(of source: any FrameSource) throws {
        guard case .frame(let frame) = try source.next() else { throw CommandError("\(input) has no picture") }
        try PNGWriter.write(frame, to: output)
    }

    private func makeOutput(
        _ path: String, _ layer: LayerSettings, _ sourceRate: FrameRate, _ range: ColorSpace.Range
    ) throws -> Transcoder.Output {
        switch format(of: path) {
        case .ivf: .encoded(layer, try IVFWriter(path: path, codec: codec, resolution: layer.resolution))
        case .y4m:
            .pictures(
                layer,
                try Y4MWriter(
                    path: path, resolution: layer.resolution, frameRate: .slower(layer.frameRate, sourceRate),
                    range: range))
        case .i420: .pictures(layer, try RawVideoWriter(path: path, resolution: layer.resolution))
        case .nv12, .rtpDump, .pcap, .pcapng, .png, nil: preconditionFailure("refused by validate()")
        }
    }

    /// The output in as many files as the clip has sizes.
    private func makeParts(_ rate: FrameRate, _ range: ColorSpace.Range) -> SplitSizeSink {
        SplitSizeSink { part, size in
            let path = partPath(part)
            if part > 1 { try requireDistinct(input: input, outputs: [path, output, low]) }
            guard format(of: path) == .y4m else { return try RawVideoWriter(path: path, resolution: size) }
            return try Y4MWriter(path: path, resolution: size, frameRate: rate, range: range)
        }
    }

    /// `out.y4m`, then `out.2.y4m`.
    private func partPath(_ part: Int) -> String {
        guard part > 1, let dot = output.lastIndex(of: ".") else { return output }
        return "\(output[..<dot]).\(part)\(output[dot...])"
    }

    private func format(of path: String) -> VideoFileFormat? { path == "-" ? .y4m : VideoFileFormat(path: path) }

    private func show(
        _ report: TranscodeReport, _ outputs: [Transcoder.Output], _ parts: [SplitSizeSink.Part]?, skipped: Int
    ) throws {
        var rows = zip([output, low].compactMap { $0 }, zip(outputs, report.outputs)).map { path, pair in
            TranscodeRow(path: path, pair.0, pair.1, seconds: report.duration.seconds)
        }
        if let parts {
            rows.replaceSubrange(
                0..<1, with: parts.enumerated().map { TranscodeRow(path: partPath($0.offset + 1), $0.element) })
        }
        if json {
            try JSONOutput.print(
                TranscodeSummary(
                    framesRead: report.framesRead, framesSkipped: skipped, duration: report.duration.seconds,
                    outputs: rows))
            return
        }
        var table = TextTable(["output", "size", "frames", "key", "bytes", "kbit/s"])
        for row in rows {
            table.add([
                row.path, row.resolution, "\(row.frames)", row.keyFrames.map(String.init) ?? "–",
                row.bytes.map(String.init) ?? "–", row.bitrate.map { Decimal.text($0 / 1000, decimals: 1) } ?? "–",
            ])
        }
        StandardError.print(
            "read \(report.framesRead) frames, \(Decimal.text(report.duration.seconds, decimals: 2)) s"
                + (skipped > 0 ? "; \(skipped) could not be decoded" : ""))
        // The result itself may be on standard output.
        StandardError.print(table.text)
    }

    func validate() throws {
        for path in [output, low].compactMap({ $0 }) {
            switch format(of: path) {
            case .ivf, .y4m, .i420: break
            case .png where path == output && low == nil && size == nil && fps == nil && !json: break
            case .png:
                throw ValidationError(
                    "\(path): a .png is the first picture as it is, without --low, --size, --fps, --json")
            case .nv12, .rtpDump, .pcap, .pcapng, nil:
                throw ValidationError("\(path): the name must end in .ivf, .y4m, .yuv, .i420 or .png")
            }
        }
        if compare, beauty == nil { throw ValidationError("--compare shows what --beauty does: give one") }
        try requireDistinct(input: input, outputs: [output, low])
        if splitSizes {
            guard output != "-", format(of: output) != .ivf else {
                throw ValidationError(
                    "--split-sizes writes files of pictures: \(output) must end in .y4m, .yuv or .i420")
            }
            guard size == nil else { throw ValidationError("--split-sizes leaves all sizes as they are, --size none") }
        }
        guard (1...16).contains(threads) else { throw ValidationError("--threads goes from 1 to 16, not \(threads)") }
        if json, output == "-" || low == "-" {
            throw ValidationError("--json and the clip cannot both go to standard output")
        }
    }
}

/// What was written, for machines.
private struct TranscodeSummary: Encodable {
    var framesRead: Int
    var framesSkipped: Int
    var duration: Double
    var outputs: [TranscodeRow]
}

private struct TranscodeRow: Encodable {
    var path: String
    var resolution: String
    var frames: Int
    /// Key frames, coded bytes and bits a second: of coded outputs alone.
    var keyFrames: Int?
    var bytes: Int?
    var bitrate: Double?

    init(path: String, _ output: Transcoder.Output, _ written: TranscodeReport.Output, seconds: Double) {
        self.path = path
        resolution = output.layer.resolution.description
        frames = written.framesWritten
        guard case .encoded = output else { return }
        keyFrames = written.keyFramesWritten
        bytes = written.bytesEncoded
        bitrate = seconds > 0 ? Double(written.bytesEncoded) * 8 / seconds : 0
    }
    /// One of several files of pictures.
    init(path: String, _ part: SplitSizeSink.Part) {
        self.path = path
        resolution = part.resolution.description
        frames = part.frameCount
    }
}
