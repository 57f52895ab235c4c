import ArgumentParser

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

            Start here:
              rill loopback                             a drawn portrait, sent to itself
              rill loopback clip.y4m --network loss=2%  your clip over a lossy network
              rill transcode clip.y4m high.ivf --low low.ivf
              rill inspect high.ivf
              rill cameras
              rill loopback /dev/video0 --live          what your camera sees
              rill replay call.pcap --to 127.0.0.1:5004
              rill bench --html bench.html              beside FFmpeg and GStreamer
            """,
        version: "rill 0.1.0",
        subcommands: [
            LoopbackCommand.self, TranscodeCommand.self, ReencodeCommand.self, InspectCommand.self, ReplayCommand.self,
            GenerateCommand.self, CamerasCommand.self, RecordCommand.self, SnapshotCommand.self, BenchCommand.self,
        ])
}
