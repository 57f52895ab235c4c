import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillRTP
import RillTranscode

/// `rill record`: records a camera to a file.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a camera, encoded or as pictures.",
        usage: "rill record <camera> <output> [<options>]",
        discussion: """
            A camera is given as its node (/dev/video0), or as camera: followed by its index in the list or a part of \
            its name. Writes .ivf (\(codecNames)) or .y4m, depending on the file extension. If the camera is \
            unplugged, `rill record` waits for it to return. Ctrl-C ends the recording early, with a complete file.

            Examples:
              rill record /dev/video0 out.ivf --duration 10s
              rill record camera:logitech out.y4m --camera-size 1280x720
            """)

    @Argument(help: "The camera.", completion: .cameras)
    var camera: String

    @Argument(help: "The file to write, .ivf or .y4m.", completion: .files(.ivf, .y4m))
    var output: String

    @Option(help: "Length of the recording (default: 10s).", transform: durationNotation)
    var duration: MediaDuration = .seconds(10)

    @Option(help: "Bitrate of an .ivf (default: depends on the size, 800k at 640x480).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "Codec of an .ivf, \(codecValues).", completion: .codecs, transform: codecNotation)
    var codec: VideoCodec = .default

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    @OptionGroup(title: "Cameras")
    var cameraOptions: CameraOptions

    func run() throws {
        guard let selection = cameraSelection(camera) else { preconditionFailure("refused by validate()") }
        let interruption = Interruption()
        let source = try readingInput { try cameraOptions.open(selection) }
        let status = source.status
        let timed = TimedSource(source, duration: duration, startsAtZero: true)
        let bar = ProgressBar("record", total: nil)
        let file = OutputFile(path: output)
        let target = try makeOutput(file, source.mode)
        let report: TranscodeReport
        do {
            report = try Transcoder(source: InterruptibleSource(timed, interruption), outputs: [target]).run {
                bar.update($0)
            }
        } catch {
            // The scene in front of the camera cannot be repeated, so the part file is kept.
            file.keepTemporary()
            throw CommandError("\(error); the recording until then is \(file.partPath)")
        }
        bar.finish()
        guard report.framesRead > 0 else {
            if interruption.isRequested { throw CommandError.interrupted }
            throw CommandError(
                report.sourceFailure.map { "\($0)" } ?? "\(camera) delivered no frame: no output was written",
                .unreadableInput)
        }
        try file.commit()
        let row = TranscodeRow(path: output, target, report.outputs[0], seconds: report.duration.seconds)
        try show(RecordSummary(source.mode, report, row, status.statistics))
        if case .encoded(let layer, _) = target,
            let remark = BitrateRemark.text(
                of: output, layer, bytes: report.outputs[0].bytesEncoded, seconds: report.duration.seconds,
                isRequested: bitrate != nil)
        {
            StandardError.print(remark)
        }
        if let failure = report.sourceFailure { throw CommandError("the camera ended: \(failure)", .partialResult) }
    }

    private func makeOutput(_ file: OutputFile, _ mode: CameraMode) throws -> Transcoder.Output {
        var layer = LayerSettings.high(
            mode.resolution, bitrate: bitrate ?? .suggested(for: mode.resolution, codec: codec), codec: codec)
        // A camera's rate is only nominal: every frame that it delivers is recorded.
        layer = layer.takingEveryFrame(of: mode.frameRate ?? cameraOptions.cameraFps)
        guard VideoFileFormat(path: output) == .ivf else {
            return .pictures(
                layer,
                try Y4MWriter(
                    path: file.partPath, name: output, resolution: mode.resolution, frameRate: layer.frameRate))
        }
        if bitrate != nil { try layer.requireReachable("--bitrate", at: layer.frameRate) }
        return .encoded(
            layer, try IVFWriter(path: file.partPath, name: output, codec: codec, resolution: mode.resolution))
    }

    private func show(_ summary: RecordSummary) throws {
        guard !json else { return try JSONOutput.print(summary) }
        var table = TextTable(
            ["output", "frames", "seconds", "target, kbit/s", "kbit/s", "missed", "damaged", "lost"])
        table.add([
            output, "\(summary.frames)", Decimal.text(summary.seconds, decimals: 2), summary.row.targetText,
            summary.row.bitrateText, "\(summary.camera.framesMissed)", "\(summary.camera.errorFrames)",
            "\(summary.camera.losses)",
        ])
        try StandardOutput.print(table.text)
    }

    func validate() throws {
        guard cameraSelection(camera) != nil else {
            throw ValidationError("\(camera) is not a camera: expected /dev/video0, camera:0 or camera:NAME")
        }
        guard [.ivf, .y4m].contains(VideoFileFormat(path: output)) else {
            throw ValidationError("\(output): the name must end in .ivf or .y4m")
        }
        try requirePositive("--duration", duration)
    }
}

/// The JSON summary of a recording.
private struct RecordSummary: Encodable {
    var frames: Int
    var seconds: Double
    var framesWritten: Int
    var keyFrames: Int
    /// Target and actual bitrate of an .ivf, in bits per second.
    var targetBitrate: Int?
    var bitrate: Double?
    var camera: CameraSummary
    let row: TranscodeRow

    private enum CodingKeys: String, CodingKey {
        case frames, seconds, framesWritten, keyFrames, targetBitrate, bitrate, camera
    }

    init(_ mode: CameraMode, _ report: TranscodeReport, _ row: TranscodeRow, _ statistics: CameraStatistics) {
        self.row = row
        frames = report.framesRead
        seconds = report.duration.seconds
        framesWritten = row.frames
        keyFrames = row.keyFrames ?? 0
        (targetBitrate, bitrate) = (row.targetBitrate, row.bitrate)
        camera = CameraSummary(mode, statistics)
    }
}
