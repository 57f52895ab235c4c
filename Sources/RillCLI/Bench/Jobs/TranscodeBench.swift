import Rill
import RillContainers
import RillCore

/// Making a file of VP8 of a file of H.264.
struct TranscodeBench: BenchJob {
    let name = "transcode"
    let title = "Transcoding a file"
    let heats: [Heat]
    let notices: [String]
    let explanation: [String]
    private let folder: BenchFolder

    init(_ clip: BenchClip, in folder: BenchFolder) throws {
        self.folder = folder
        let ffmpeg = Tool.path(of: "ffmpeg")
        var notices: [String] = []
        var (input, kind) = (clip.y4m, "Y4M")
        if let ffmpeg {
            input = folder.path("clip.mp4")
            kind = "H.264 in MP4 (libx264, crf 20)"
            let words = [
                ffmpeg, "-nostdin", "-v", "error", "-y", "-i", clip.y4m, "-c:v", "libx264", "-preset", "veryfast",
                "-crf", "20",
                "-pix_fmt", "yuv420p", input,
            ]
            _ = try folder.start(Invocation(words: words)).wait(limit: 1200)
        } else {
            notices.append("FFmpeg is not installed (Debian: ffmpeg): Rill transcodes alone, from Y4M.")
        }
        func rill(_ name: String, _ file: String, _ options: [String]) -> Contestant {
            let words = [Tool.rill, "transcode", input, folder.path(file), "--bitrate", "\(clip.bitrate)"] + options
            return Contestant(name: name, part: .ours, command: Invocation(words: words))
        }
        func rival(threads: Int) -> Contestant? {
            guard let ffmpeg else { return nil }
            var words = [ffmpeg, "-nostdin", "-v", "error", "-y", "-i", input, "-an"]
            words += FFmpegRecipe.vp8(clip.bitrate, speed: BenchClip.speed(clip.resolution), threads: threads)
            words += ["-rc_init_occupancy", "\(clip.bitrate.bitsPerSecond / 2)", folder.path("ffmpeg-\(threads).webm")]
            let name = threads == 0 ? "FFmpeg, as many threads as it likes" : "FFmpeg, -threads \(threads)"
            return Contestant(name: name, part: .rival, command: Invocation(words: words))
        }
        let whole = rill("Rill", "rill.webm", [])
        let halves = rill("Rill, 2 segments", "rill-2.webm", ["--segments", "2"])
        self.notices = notices
        heats = [
            Heat(
                title: "one encoder thread", measures: [.instructions, .cpu, .wall, .memory],
                contestants: [whole] + [rival(threads: 1)].compactMap(\.self) + [whole.again]),
            Heat(
                title: "two at once", measures: [.cpu, .wall, .memory],
                contestants: [halves] + [rival(threads: 2), rival(threads: 0)].compactMap(\.self) + [halves.again]),
        ]
        explanation = [
            "From \(kind) to VP8 in WebM at \(Int(clip.bitrate.kilobits)) kbit/s, in real-time speed "
                + "\(BenchClip.speed(clip.resolution)), with the same rate control as above. FFmpeg decodes with as many threads "
                + "as it likes.",
            "With two segments Rill codes two halves of the clip at once, each beginning with a key frame; FFmpeg gives "
                + "libvpx more threads for one picture.",
        ]
    }

    func run(_ command: Invocation, limit: Double) throws -> (turn: Turn, work: Work) {
        let turn = try folder.start(command).wait(limit: limit)
        guard let path = command.words.first(where: { $0.hasSuffix(".webm") }) else {
            return (turn, Work(frames: 0))
        }
        return (turn, try TranscodeBench.work(path))
    }

    /// Decodes what was made: whoever wrote it, all pictures are there or they are not.
    private static func work(_ path: String) throws -> Work {
        let source = try ContainerSource(path: path, capacity: 2, threadCount: 1)
        var work = Work(frames: 0, codedBytes: try TextFile.byteCount(path))
        while case .frame = try source.next() { work.frames += 1 }
        return work
    }
}
