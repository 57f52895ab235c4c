import Rill
import RillCore
import RillFiles

/// Sending two streams at once, as fast as it goes.
struct SendBench: BenchJob {
    let name = "send"
    let title = "Sending a clip twice at once over UDP"
    let heats: [Heat]
    let notices: [String]
    let explanation: [String]
    private let clip: BenchClip
    private let folder: BenchFolder
    private let high: PacketTally
    private let low: PacketTally

    init(_ clip: BenchClip, work: String, in folder: BenchFolder) throws {
        self.clip = clip
        self.folder = folder
        (high, low) = (try PacketTally(), try PacketTally())
        let recipes = SendRecipes(clip: clip, high: high.address, low: low.address, folder: folder)
        var notices: [String] = []
        var single = [recipes.rill(work, threads: 1)]
        var double = [recipes.rill(work, threads: 2)]
        if let ffmpeg = Tool.path(of: "ffmpeg") {
            single.append(recipes.ffmpeg(ffmpeg, threads: 1))
            double.append(recipes.ffmpeg(ffmpeg, threads: 2))
        } else {
            notices.append("FFmpeg is not installed (Debian: ffmpeg).")
        }
        if let gstreamer = Tool.path(of: "gst-launch-1.0") {
            single.append(recipes.gstreamer(gstreamer, threads: 1))
            double.append(recipes.gstreamer(gstreamer, threads: 2))
        } else {
            notices.append(
                "GStreamer is not installed (Debian: gstreamer1.0-tools, gstreamer1.0-plugins-base, "
                    + "gstreamer1.0-plugins-good).")
        }
        if let vpxenc = Tool.path(of: "vpxenc") {
            let floor = recipes.vpxenc(vpxenc)
            single += [floor, floor.again]
        } else {
            notices.append("vpxenc is not installed (Debian: vpx-tools): Rill runs twice in its place.")
            single.append(single[0].again)
        }
        double.append(double[0].again)
        self.notices = notices
        heats = [
            Heat(title: "one encoder thread", measures: [.instructions, .cpu, .wall, .memory], contestants: single),
            Heat(title: "two encoder threads", measures: [.cpu, .wall, .memory], contestants: double),
        ]
        explanation = [
            "The clip at its own size and \(Int(clip.bitrate.kilobits)) kbit/s, and 160x120 at 5 frames a second and "
                + "\(Int(BenchClip.lowBitrate.kilobits)) kbit/s: read, scaled, encoded by libvpx as VP8, cut into "
                + "packets of at most 1200 bytes and sent to ports of this machine that a listener empties. As fast as it goes.",
            "Alike for all: constant bitrate, real-time deadline, speed \(BenchClip.speed(clip.resolution)) (low: -4), "
                + "quantizers 2 to 56, no lag, no key frame but the first, one token partition, no error resilience, a "
                + "buffer of 1000 ms that aims at 600 ms. FFmpeg sets its aim to five sixths of the buffer, which is "
                + "therefore 720 ms there. Each scales with its own scaler.",
            "vpxenc encodes the high stream alone and sends nothing: a floor that nobody who does all of it can be "
                + "expected below. It runs twice, and what differs between the two is chance; with two threads Rill runs twice.",
        ]
    }

    func run(_ command: Invocation, limit: Double) throws -> (turn: Turn, work: Work) {
        let child = try folder.start(command)
        let turn = try child.wait(limit: limit) {
            try high.drain()
            try low.drain()
        }
        let (highWork, lowWork) = (high.take(), low.take())
        guard highWork.frames == 0, let path = command.words.first(where: { $0.hasSuffix("vpxenc.ivf") }) else {
            return (
                turn,
                Work(
                    frames: highWork.frames, codedBytes: (highWork.codedBytes ?? 0) + (lowWork.codedBytes ?? 0),
                    packetsLost: highWork.packetsLost + lowWork.packetsLost)
            )
        }
        return (turn, try SendBench.ivfWork(path))
    }

    /// What a file of coded frames holds.
    private static func ivfWork(_ path: String) throws -> Work {
        let file = try IVFReader(path: path)
        var payload: [UInt8] = []
        var work = Work(frames: 0, codedBytes: 0)
        while let frame = try file.next(into: &payload) {
            work.frames += 1
            work.codedBytes = (work.codedBytes ?? 0) + frame.byteCount
        }
        return work
    }
}
