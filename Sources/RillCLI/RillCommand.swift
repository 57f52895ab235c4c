import ArgumentParser
import Glibc
import RillFiles

/// `rill`: the command line.
@main
struct RillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rill",
        abstract: "A real-time video pipeline: try it, measure it, transcode test clips with it.",
        discussion: """
            Numbers are written alike everywhere: bitrates as 1500k or 2M (bits per second), times as 40ms or 1.5s, \
            probabilities as 2%, sizes as 640x480, frame rates as 30 or 30000/1001. A file named - is standard input \
            or output.

            A file that is written bears its name only once it is whole; until then it is .NAME.part in the same folder.

            \(ExitCode.table)

            Start here:
              rill loopback                             a drawn portrait, sent to itself
              rill loopback clip.y4m --network loss=2%  your clip over a lossy network
              rill transcode clip.y4m high.ivf --low low.ivf
              rill inspect high.ivf
              rill cameras
              rill loopback /dev/video0 --live          what your camera sees
              rill replay call.pcap --to 127.0.0.1:5004
              rill key call.key
              rill call /dev/video0 --to 192.0.2.7:5004 --listen 5004 --key-file call.key
              rill send clip.y4m --to 127.0.0.1:5004 --sdp out.sdp
              rill receive out.sdp --output shown.y4m
              rill preview /dev/video0                  in a window (built apart)
              rill relay --listen 5004 --to 127.0.0.1:5006 --network loss=2%
            """,
        version: Version.text,
        subcommands: [
            LoopbackCommand.self, TranscodeCommand.self, CallCommand.self, SendCommand.self, ReceiveCommand.self,
            PreviewCommand.self, KeyCommand.self, RelayCommand.self, ReencodeCommand.self, InspectCommand.self,
            ReplayCommand.self,
            GenerateCommand.self, CamerasCommand.self, RecordCommand.self, SnapshotCommand.self,
        ])

    /// Runs the command that the process's arguments name, and ends the process as ``ArgumentParser/ExitCode/table`` says.
    static func main() {
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            try CommandSuggestion.check(
                words, against: configuration.subcommands.compactMap { $0.configuration.commandName })
            var command = try parseAsRoot(words)
            try command.run()
        } catch let error as FileError where StandardOutput.isUnread(error) {
            StandardOutput.endUnread()
        } catch let error as CommandError {
            StandardError.print("Error: \(error)")
            Glibc.exit(error.exitCode.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
