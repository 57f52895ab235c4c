import ArgumentParser
import Glibc
import RillCore
import RillFiles
import RillThreads

/// `rill`: the command line.
@main
struct RillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rill",
        abstract: "A real-time video pipeline: calls, streams, transcoding and measurements.",
        discussion: """
            All commands use the same notation: bitrates as 1500k or 2M (bits per second), times as 40ms or 1.5s, \
            probabilities as 2%, sizes as 640x480, frame rates as 30 or 30000/1001. A file named - is standard input \
            or output.

            An output file gets its name when it is complete; until then it is .NAME.part in the same folder.

            \(ExitCode.table)

            Start here:
              rill loopback                             the portrait scene, sent to itself
              rill loopback clip.y4m --network loss=2%  your clip over a lossy network
              rill transcode clip.y4m high.ivf --low low.ivf
              rill inspect high.ivf
              rill cameras
              rill loopback /dev/video0 --live          your camera
              rill replay call.pcap --to 127.0.0.1:5004
              rill key call.key
              rill call /dev/video0 --to 192.0.2.7:5004 --listen 5004 --key-file call.key
              rill send clip.y4m --to 127.0.0.1:5004 --sdp out.sdp
              rill receive out.sdp --output shown.y4m
              rill publish clip.y4m https://example.org/whip/stage
              rill watch https://example.org/whep/stage --output shown.y4m
              rill join https://example.org --room lobby --count 4
              rill preview /dev/video0                  in a window
              rill relay --listen 5004 --to 127.0.0.1:5006 --network loss=2%
            """,
        version: Version.text,
        subcommands: [
            LoopbackCommand.self, TranscodeCommand.self, CallCommand.self, SendCommand.self, ReceiveCommand.self,
            PublishCommand.self, WatchCommand.self, ServeCommand.self, TokenCommand.self, JoinCommand.self,
            PreviewCommand.self, KeyCommand.self,
            RelayCommand.self, ReencodeCommand.self, InspectCommand.self,
            ReplayCommand.self,
            GenerateCommand.self, CamerasCommand.self, RecordCommand.self, SnapshotCommand.self,
        ])

    /// Runs the command that the process's arguments name, and exits with a code of ``ArgumentParser/ExitCode/table``.
    static func main() {
        do {
            var words = Array(CommandLine.arguments.dropFirst())
            #if Server
            words = try ServeConfiguration.complete(words)
            #endif
            try CommandSuggestion.check(
                words, against: configuration.subcommands.compactMap { $0.configuration.commandName })
            var command = try parseAsRoot(words)
            try requireDescriptors()
            try requireThreads(for: command)
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

    /// The commands with calls or servers.
    private static let live: [any ParsableCommand.Type] = [
        LoopbackCommand.self, CallCommand.self, SendCommand.self, ReceiveCommand.self, PublishCommand.self,
        WatchCommand.self, ServeCommand.self, JoinCommand.self, PreviewCommand.self, RelayCommand.self,
        ReplayCommand.self, RecordCommand.self,
    ]

    /// Throws unless the system starts the threads that a command needs beside its encoders: those of tasks, timers and
    /// signals are waited for without a word, and some libraries trap without theirs.
    private static func requireThreads(for command: any ParsableCommand) throws {
        let isLive = live.contains { $0 == type(of: command) }
        if isLive { AllocatorArenas.limit(to: 2) }
        let count = isLive ? 10 + 3 * ProcessorCount.usable : 3
        do throws(ThreadError) { try NamedThread.require(count, "rill-task") } catch { throw CommandError("\(error)") }
    }

    /// Throws unless a few more files can be opened: timers and signals take some, and end the process if there are
    /// none.
    private static func requireDescriptors() throws {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<24 {
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                let reason = systemText(errno)
                throw CommandError("this process cannot open files: \(reason); raise the limit with `ulimit -n 64`")
            }
            opened.append(descriptor)
        }
    }
}
