import ArgumentParser
import Rill
import RillContainers
import RillCore
import RillFiles
import RillPages
import RillTranscode

/// `rill transcode`: clips to clips, offline; one, those of a list, or those of a folder.
struct TranscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcode",
        abstract: "Turn a clip into VP8, VP9 or pictures, offline: the same bytes every time.",
        usage: """
            rill transcode <input> <output> [<options>]
            rill transcode --jobs <list> [<options>]
            rill transcode <folder> <output-folder> --to webm|mkv|ivf|y4m [<options>]
            """,
        discussion: """
            Reads .y4m, .ivf (VP8, VP9), .yuv, .i420 and .nv12, and by FFmpeg's libraries what they read: .mp4, .mkv, \
            .webm, .mov, .avi, .ts, .gif and others. Writes .webm, .mkv and .ivf (VP8 or VP9, the bytes that the live \
            pipeline would make, or with --good better ones), .y4m (the pictures: decoded exactly, cut, scaled and \
            thinned out where that is asked for) or .png (the first picture).

            A file bears its name only once it is whole; until then it is .NAME.part in the same folder.

            Without --fps every frame is written, at its own time where the output holds times; a .y4m says the rate \
            that most of the clip has.

            Where the pictures of a clip change their size, those of a later size are scaled to the first, whole, \
            between black bars if their shape is another. With --split-sizes each size goes to a file of its own as \
            it is: out.y4m, out.2.y4m, out.3.y4m and so on.

            Segments, the low layer and the ladder are coded at once, and no byte depends on how many threads do it. \
            Beauty has a memory: a segment's mask starts 15 frames before it, and may differ a little from that of the \
            clip in one piece.

            Many clips are a batch: those of a list (--jobs) or of a folder (--to). Jobs run side by side, --parallel \
            of them, one thread each; threads that find no job left are lent to those that have segments. A job that \
            fails stops no other. Each one that is done is noted in a manifest, LIST.done or \
            OUTPUT/rill-transcode.done, and left out with --resume, unless its input, its options or its outputs have \
            changed since; so a batch that was killed goes on where it was, to the same bytes. A list looks like this:
              # input        output      options
              talk.mkv       talk.webm   --codec vp9 --segments auto
              'my clip.mp4'  clip.webm   --ladder --thumbnails pictures

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
              rill transcode --jobs list.txt --good --resume
              rill transcode holiday coded --to webm --codec vp9 --json

            \(ExitCode.table)

            Of a batch it is that of its gravest job; those that were done before count too.
            """)

    @Argument(help: "The clip to read, or a folder of clips; - is Y4M on standard input.", completion: .clips)
    var input: String?

    @Argument(
        help: "The file to write: .webm, .mkv, .ivf, .y4m, .yuv or .png, or a folder; - is Y4M on standard output.",
        completion: .files(.ivf, .y4m, .i420, .png, more: ["webm", "mkv"]))
    var output: String?

    @OptionGroup(title: "Batches")
    var batch: BatchOptions

    @OptionGroup var files: TranscodeFiles

    @OptionGroup var options: TranscodeOptions

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func run() throws {
        if let plan = try batchPlan() {
            let threads = options.parallel ?? Transcoder.processorCount
            return try BatchDriver(plan: plan, resumes: batch.resume, threads: threads, printsJSON: json).run()
        }
        guard let input, let output else { preconditionFailure("refused by validate()") }
        try transcode(TranscodeJob(input: input, output: output, files: files, options: options))
    }

    /// One clip.
    private func transcode(_ job: TranscodeJob) throws {
        let start = Measurement.now
        let interruption = Interruption()
        let outcome: TranscodeOutcome
        var bar: ProgressBar?
        do {
            outcome = try job.run {
                bar = ProgressBar("transcode", total: $0)
            } watch: { progress in
                bar?.update(progress.framesRead)
                return !interruption.isWanted
            }
            bar?.finish()
        } catch let failure as TranscodeFailure {
            bar?.finish()
            throw CommandError("\(failure)", failure.exitCode)
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
        StandardError.print(outcome.text(on: .standardError))
    }

    /// The jobs of a list or a folder, where one was given.
    private func batchPlan() throws -> BatchPlan? {
        do {
            if let list = batch.jobs {
                let words = CommandLine.arguments.drop { $0 != Self.configuration.commandName }.dropFirst()
                return try JobList.plan(path: list, common: CommonWords(words))
            }
            guard let target = batch.to, let input, let output else { return nil }
            let folder = ClipFolder(path: input, output: output, target: target, isRecursive: batch.recursive)
            return try folder.plan(files, options)
        } catch let refusal as BatchRefusal {
            // The lines are wrong, not the words of the command line: no usage is shown.
            StandardError.print("Error: \(refusal)")
            throw refusal.isUnreadable ? ExitCode.unreadableInput : ExitCode.validationFailure
        }
    }

    func validate() throws {
        if batch.jobs != nil || batch.to != nil { return try validateBatch() }
        if batch.resume || batch.recursive {
            throw ValidationError("--resume and --recursive go with --jobs or --to: there is one clip")
        }
        guard let input else { throw ValidationError("Missing expected argument '<input>'") }
        guard let output else { throw ValidationError("Missing expected argument '<output>'") }
        if case .folder = FileKind(path: input) {
            throw ValidationError(
                "\(input) is a folder: add --to webm (or mkv, ivf, y4m) for the clips in it; pictures in files of "
                    + "their own are named as \(input)/*.png or \(input)/frame%03d.png")
        }
        try files.validate(input, output, options)
        if json, output == "-" || files.low == "-" {
            throw ValidationError("--json and the clip cannot both go to standard output")
        }
    }

    private func validateBatch() throws {
        if (files.more + [files.thumbnails]).contains(where: { $0 != nil }) {
            throw ValidationError(
                "--low, --pictures, --low-pictures and --thumbnails name a job's files: put them into lines of --jobs")
        }
        if batch.jobs != nil {
            guard input == nil, batch.to == nil, !batch.recursive else {
                throw ValidationError("--jobs names all clips: leave out INPUT, OUTPUT, --to and --recursive")
            }
            return
        }
        // One that is not there is told of as a clip is that is not there.
        guard let input, output != nil, case .folder = FileKind(path: input) ?? .folder else {
            throw ValidationError("--to goes with two folders, that of the clips and that of the outputs")
        }
    }
}
