import ArgumentParser
import Rill

/// `rill snapshot`: one picture of a camera.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Take one picture with a camera.",
        usage: "rill snapshot <camera> <output> [<options>]",
        discussion: """
            Examples:
              rill snapshot /dev/video0 out.png
              rill snapshot camera:0 out.png --camera-size 1280x720
            """)

    @Argument(help: "The camera: its node, or camera: and its place in the list or a part of its name.")
    var camera: String

    @Argument(help: "The file to write, .png.")
    var output: String

    @Option(
        help: "How long the camera may adjust itself to the light before (default: 500ms).",
        transform: durationNotation)
    var warmUp: MediaDuration = .milliseconds(500)

    @Option(help: "How long to wait for a picture (default: 5s).", transform: durationNotation)
    var timeout: MediaDuration = .seconds(5)

    @OptionGroup(title: "Cameras")
    var cameraOptions: CameraOptions

    func run() throws {
        guard let selection = cameraSelection(camera) else { preconditionFailure("refused by validate()") }
        let source = TimedSource(try cameraOptions.open(selection), duration: warmUp + timeout, startsAtZero: true)
        while true {
            switch try source.next() {
            case .frame(let frame) where frame.captureTime - .zero >= warmUp:
                try PNGWriter.write(frame, to: output)
                return
            case .frame, .pending, .noBuffer: continue
            case .end: throw CommandError("\(camera) gave no picture within \(timeout)")
            }
        }
    }

    func validate() throws {
        guard cameraSelection(camera) != nil else {
            throw ValidationError("\(camera) is no camera: expected /dev/video0, camera:0 or camera:NAME")
        }
        guard VideoFileFormat(path: output) == .png else {
            throw ValidationError("\(output): the name must end in .png")
        }
    }
}
