import ArgumentParser
import Rill
import RillPages

/// `rill record`: a camera to a file.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a camera, coded or as pictures.",
        usage: "rill record <camera> <output> [<options>]",
        discussion: """
            A camera is its node (/dev/video0), or camera: and its place in the list or a part of its name. Writes .ivf \
            (VP8 or VP9) or .y4m by the ending of the name. A camera that is unplugged meanwhile is waited for. Ctrl-C \
            ends the recording early, and the file is whole.

            Examples:
              rill record /dev/video0 out.ivf --duration 10s
              rill record camera:logitech out.y4m --camera-size 1280x720
            """)

    @Argument(help: "The camera.")
    var camera: String

    @Argument(help: "The file to write, .ivf or .y4m.")
    var output: String

    @Option(help: "How long (default: 10s).", transform: durationNotation)
    var duration: MediaDuration = .seconds(10)

    @Option(help: "Bitrate of an .ivf (default: by its size, 800k at 640x480).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "What an .ivf is coded with, vp8 or vp9.", transform: codecNotation)
    var codec: VideoCodec = .vp8

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    @OptionGroup(title: "Cameras")
    var cameraOptions: CameraOptions

    func run() throws {
        guard let selection = cameraSelection(camera) else { preconditionFailure("refused by validate()") }
        let interruption = Interruption()
        let source = try cameraOptions.open(selection)
        let status = source.status
        let timed = TimedSource(source, duration: duration, startsAtZero: true)
        let bar = ProgressBar("record", total: nil)
        let report = try Transcoder(
            source: InterruptibleSource(timed, interruption), outputs: [try makeOutput(source.mode)]
        ).run { bar.update($0) }
        bar.finish()
        try show(RecordSummary(source.mode, report, status.statistics))
        if let failure = report.sourceFailure { throw CommandError("the camera ended: \(failure)") }
    }

    private func makeOutput(_ mode: CameraMode) throws -> Transcoder.Output {
        var layer = LayerSettings.high(
            mode.resolution, bitrate: bitrate ?? .suggested(for: mode.resolution, codec: codec), codec: codec)
        layer.frameRate = mode.frameRate ?? cameraOptions.cameraFps
        guard VideoFileFormat(path: output) == .ivf else {
            return .pictures(
                layer, try Y4MWriter(path: output, resolution: mode.resolution, frameRate: layer.frameRate))
        }
        return .encoded(layer, try IVFWriter(path: output, codec: codec, resolution: mode.resolution))
    }

    private func show(_ summary: RecordSummary) throws {
        guard !json else { return try JSONOutput.print(summary) }
        var table = TextTable(["output", "frames", "seconds", "missed", "damaged", "lost"])
        table.add([
            output, "\(summary.frames)", Decimal.text(summary.seconds, decimals: 2), "\(summary.camera.framesMissed)",
            "\(summary.camera.errorFrames)", "\(summary.camera.losses)",
        ])
        print(table.text)
    }

    func validate() throws {
        guard cameraSelection(camera) != nil else {
            throw ValidationError("\(camera) is no camera: expected /dev/video0, camera:0 or camera:NAME")
        }
        guard [.ivf, .y4m].contains(VideoFileFormat(path: output)) else {
            throw ValidationError("\(output): the name must end in .ivf or .y4m")
        }
        guard duration > .zero else { throw ValidationError("--duration must be more than nothing") }
    }
}

/// What was recorded, for machines.
private struct RecordSummary: Encodable {
    var frames: Int
    var seconds: Double
    var framesWritten: Int
    var keyFrames: Int
    var camera: CameraSummary

    init(_ mode: CameraMode, _ report: TranscodeReport, _ statistics: CameraStatistics) {
        frames = report.framesRead
        seconds = report.duration.seconds
        framesWritten = report.outputs.first?.framesWritten ?? 0
        keyFrames = report.outputs.first?.keyFramesWritten ?? 0
        camera = CameraSummary(mode, statistics)
    }
}
