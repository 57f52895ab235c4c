import Rill
import RillCore

/// Making faces beautiful: what a filter takes beyond reading the clip.
struct BeautyBench: BenchJob {
    let name = "beauty"
    let title = "Smoothing faces"
    let heats: [Heat]
    let notices: [String]
    let explanation: [String]
    private let folder: BenchFolder

    /// FFmpeg's filter of the same kind, for luma.
    private static let bilateral = "bilateral=sigmaS=3:sigmaR=0.1:planes=1"

    init(_ clip: BenchClip, work: String, in folder: BenchFolder) {
        self.folder = folder
        var notices: [String] = []
        let ours = Contestant(
            name: "Rill, natural", part: .ours,
            command: Invocation(words: [work, "beautify", clip.y4m, "natural"]),
            baseline: Invocation(words: [work, "beautify", clip.y4m, "off"]))
        var contestants = [ours]
        if let ffmpeg = Tool.path(of: "ffmpeg") {
            let read = [
                ffmpeg, "-nostdin", "-v", "error", "-nostats", "-progress", "pipe:1", "-threads", "1",
                "-filter_threads", "1",
                "-i", clip.y4m,
            ]
            let drop = ["-f", "null", "-"]
            contestants.append(
                Contestant(
                    name: "FFmpeg, bilateral", part: .rival,
                    command: Invocation(words: read + ["-vf", BeautyBench.bilateral] + drop),
                    baseline: Invocation(words: read + drop)))
        } else {
            notices.append("FFmpeg is not installed (Debian: ffmpeg).")
        }
        contestants.append(ours.again)
        self.notices = notices
        heats = [Heat(title: "the filter alone", measures: [.instructions, .cpu], contestants: contestants)]
        explanation = [
            "Each program reads the clip and filters it, and reads it again without the filter; the difference is what the "
                + "filter takes. Rill's finds skin and smooths, lightens and reddens it, and sharpens the rest; FFmpeg's "
                + "bilateral filter smooths the whole of luma. One thread."
        ]
    }

    func run(_ command: Invocation, limit: Double) throws -> (turn: Turn, work: Work) {
        let turn = try folder.start(command).wait(limit: limit)
        return (turn, Work(frames: PrintedFrames.count(in: turn.output) ?? 0))
    }
}
