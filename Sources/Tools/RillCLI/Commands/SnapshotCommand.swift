import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillTranscode

/// `rill snapshot`: takes one picture with a camera.
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

    @Argument(
        help: "The camera: its node, or camera: followed by its index in the list or a part of its name.",
        completion: .cameras)
    var camera: String

    @Argument(help: "The file to write, .png.", completion: .files(.png))
    var output: String

    @Option(help: "The frame to keep, counted from 1: in the first frames a camera still adjusts to the light.")
    var frames = 15

    @Option(help: "How long to wait for the frame (default: 5s).", transform: durationNotation)
    var timeout: MediaDuration = .seconds(5)

    @Flag(help: "Print statistics of the camera as one JSON object.")
    var json = false

    @OptionGroup(title: "Cameras")
    var cameraOptions: CameraOptions

    func run() throws {
        guard let selection = cameraSelection(camera) else { preconditionFailure("refused by validate()") }
        let camera = try readingInput { try cameraOptions.open(selection) }
        let source = TimedSource(camera, duration: timeout)
        var count = 0
        while true {
            switch try readingInput({ try source.next() }) {
            case .frame(let frame):
                count += 1
                guard count == frames else { continue }
                let file = OutputFile(path: output)
                try PNGWriter.write(frame, to: file.partPath, name: output)
                try file.commit()
                if json { try JSONOutput.print(CameraSummary(camera.mode, camera.status.statistics)) }
                return
            case .pending, .noBuffer: continue
            case .end:
                throw CommandError(
                    "\(self.camera) delivered \(count) frames within \(timeout), not \(frames)", .unreadableInput)
            }
        }
    }

    func validate() throws {
        guard cameraSelection(camera) != nil else {
            throw ValidationError("\(camera) is not a camera: expected /dev/video0, camera:0 or camera:NAME")
        }
        guard frames > 0 else { throw ValidationError("--frames counts from 1, not \(frames)") }
        guard VideoFileFormat(path: output) == .png else {
            throw ValidationError("\(output): the name must end in .png")
        }
    }
}
