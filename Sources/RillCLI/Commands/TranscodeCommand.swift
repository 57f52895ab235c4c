import ArgumentParser
import Rill
import RillContainers
import RillPages

/// `rill transcode`: clips to clips, offline.
struct TranscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcode",
        abstract: "Turn a clip into VP8, VP9 or pictures, offline: the same bytes every time.",
        usage: "rill transcode <input> <output> [<options>]",
        discussion: """
            Reads .y4m, .ivf (VP8, VP9), .yuv, .i420 and .nv12, and by FFmpeg's libraries what they read: .mp4, .mkv, \
            .webm, .mov, .avi, .ts, .gif and others. Writes .webm, .mkv and .ivf (VP8 or VP9, the bytes that the live \
            pipeline would make, or with --good better ones), .y4m (the pictures: decoded exactly, cut, scaled and \
            thinned out where that is asked for) or .png (the first picture).

            A file bears its name only once it is whole; until then it is .NAME.part in the same folder.

            Where the pictures of a clip change their size, those of a later size are scaled to the first, whole, \
            between black bars if their shape is another. With --split-sizes each size goes to a file of its own as \
            it is: out.y4m, out.2.y4m, out.3.y4m and so on.

            Segments, the low layer and the ladder are coded at once, and no byte depends on how many threads do it. \
            Beauty has a memory: a segment's mask starts 15 frames before it, and may differ a little from that of the \
            clip in one piece.

            Examples:
              rill transcode clip.y4m high.ivf --bitrate 1500k --low low.ivf
              rill transcode clip.mp4 out.webm --segments auto
              rill transcode clip.mp4 archive.mkv --codec vp9 --good --quality 24
              rill transcode clip.mp4 out.webm --ladder --thumbnails pictures --psnr
              rill transcode high.ivf shown.y4m
              rill transcode call.ivf call.y4m --split-sizes
              rill transcode clip.y4m small.y4m --size 320x240 --fps 15
              rill transcode capture.yuv out.ivf --raw-size 640x480
              rill transcode clip.y4m beautiful.y4m --beauty natural
              rill transcode clip.y4m looks.png --beauty strong --compare

            Exit codes: 0 done; 1 an output could not be made; 2 the input cannot be read, nothing was written; \
            3 a part of the input is missing, what there is was written; 64 wrong arguments; 130 interrupted, nothing \
            was written.
            """)

    @Argument(help: "The clip to read; - is Y4M on standard input.")
    var input: String

    @Argument(help: "The file to write: .webm, .mkv, .ivf, .y4m, .yuv or .png; - is Y4M on standard output.")
    var output: String

    @OptionGroup var files: TranscodeFiles

    @OptionGroup var options: TranscodeOptions

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func run() throws {
        let start = Measurement.now
        let interruption = Interruption()
        let outcome: TranscodeOutcome
        var bar: ProgressBar?
        do {
            outcome = try TranscodeJob(input: input, output: output, files: files, options: options).run {
                bar = ProgressBar("transcode", total: $0)
            } watch: { progress in
                bar?.update(progress.framesRead)
                return !interruption.isWanted
            }
            bar?.finish()
        } catch let failure as TranscodeFailure {
            bar?.finish()
            StandardError.print("Error: \(failure)")
            switch failure {
            case .unreadable: throw ExitCode.unreadableInput
            case .interrupted: throw ExitCode.interrupted
            }
        }
        try show(outcome)
        StandardError.print(Measurement.now.since(start).text)
        if let reason = outcome.partialReason {
            StandardError.print(reason)
            throw ExitCode.partialResult
        }
    }

    private func show(_ outcome: TranscodeOutcome) throws {
        for notice in outcome.notices { StandardError.print(notice) }
        if json { return try JSONOutput.print(outcome.summary) }
        // The result itself may be on standard output.
        StandardError.print(outcome.text)
    }

    func validate() throws {
        try files.validate(input, output, options)
        if json, output == "-" || files.low == "-" {
            throw ValidationError("--json and the clip cannot both go to standard output")
        }
    }
}
