import ArgumentParser
import Rill
import RillContainers
import RillCore
import RillFiles
import RillTranscode

/// `rill transcode`: transcodes one clip, the clips of a list, or those of a folder, offline.
struct TranscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcode",
        abstract: "Transcode a clip to \(codecNames), or to pictures, offline and reproducibly.",
        usage: """
            rill transcode <input> <output> [<options>]
            rill transcode --jobs <list> [<options>]
            rill transcode <folder> <output-folder> --to webm|mkv|ivf|y4m [<options>]
            """,
        discussion: """
            Reads .y4m, .ivf (\(codecNames)), .yuv, .i420 and .nv12, and through FFmpeg's libraries .mp4, .mkv, .webm, \
            .mov, .avi, .ts, .gif and others. Writes .webm, .mkv and .ivf (\(codecNames), the same bytes as the live \
            pipeline, or with --good at higher quality), .y4m (the decoded pictures, cropped, scaled and reduced in \
            frame rate on request) or .png (the first picture).

            An output file gets its name when it is complete; until then it is .NAME.part in the same folder.

            Without --fps every frame is written, at its own time if the format stores times; a .y4m has the frame \
            rate of most of the clip.

            If the picture size changes within a clip, later pictures are scaled to the first size, with black bars if \
            the aspect ratio differs. With --split-sizes each size is written unscaled to its own file: out.y4m, \
            out.2.y4m, out.3.y4m and so on.

            Segments, the low layer and the ladder are encoded in parallel; the output does not depend on the number \
            of threads. Beauty depends on earlier frames: the mask of a segment starts 15 frames before the segment (90 with faces), \
            and may differ slightly from the mask without segments.

            Many clips are a batch: a list (--jobs) or a folder (--to). --parallel jobs run at once, one thread each; \
            idle threads help jobs that have segments. A failed job does not stop the others. Each finished job is \
            noted in a manifest, LIST.done or OUTPUT/rill-transcode.done, and skipped with --resume, unless its input, \
            options or outputs have changed. So a killed batch continues where it stopped, and gives the same bytes. \
            An example of a list:
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
              rill transcode clip.y4m looks.html --compare
              rill transcode --jobs list.txt --good --resume
              rill transcode holiday coded --to webm --codec vp9 --json

            \(ExitCode.table)

            The exit code of a batch is that of its worst job, including jobs that were finished before.
            """)

    @Argument(help: "The clip to read, or a folder of clips; - is Y4M on standard input.", completion: .clips)
    var input: String?

    @Argument(
        help: """
            The file to write, .webm, .mkv, .ivf, .y4m, .yuv or .png, with --compare .html, or a folder; - is Y4M on \
            standard output.
            """,
        completion: .files(.ivf, .y4m, .i420, .png, more: ["webm", "mkv", "html"]))
    var output: String?

    @OptionGroup(title: "Batches")
    var batch: BatchOptions

    @OptionGroup var files: TranscodeFiles

    @OptionGroup var options: TranscodeOptions

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func run() throws {
        let plan = try batchPlan()
        let isSplit = ![.one, .count(1)].contains(options.segments)
        if let notice = options.noticeOfThreads(ofSeveral: plan != nil || isSplit) {
            StandardError.print(notice)
        }
        if let plan {
            return try BatchDriver(
                plan: plan, resumes: batch.resume, threads: options.partsAtOnce, printsJSON: json
            ).run()
        }
        guard let input, let output else { preconditionFailure("refused by validate()") }
        try transcode(TranscodeJob(input: input, output: output, files: files, options: options))
    }

    /// Transcodes one clip.
    private func transcode(_ job: TranscodeJob) throws {
        let start = Measurement.now
        let outcome = try outcome(of: job, Interruption())
        try show(outcome)
        StandardError.print(Measurement.now.since(start).text)
        if let reason = outcome.partialReason {
            StandardError.print(reason)
            throw ExitCode.partialResult
        }
    }

    private func outcome(of job: TranscodeJob, _ interruption: Interruption) throws -> TranscodeOutcome {
        var bar: ProgressBar?
        defer { bar?.finish() }
        return try job.run {
            bar = ProgressBar("transcode", total: $0)
        } watch: { progress in
            bar?.update(progress.framesRead)
            return !interruption.isRequested
        }
    }

    private func show(_ outcome: TranscodeOutcome) throws {
        for notice in [outcome.lack].compactMap(\.self) + outcome.notices { StandardError.print(notice) }
        if json { return try JSONOutput.print(outcome.summary) }
        // Standard output may hold the clip.
        StandardError.print(outcome.text(on: .standardError))
    }

    /// The jobs of a list or a folder, if one was given.
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
            // The list is wrong, not the command line: no usage is shown.
            StandardError.print("Error: \(refusal)")
            throw refusal.isUnreadable ? ExitCode.unreadableInput : ExitCode.validationFailure
        }
    }

    func validate() throws {
        if batch.jobs != nil || batch.to != nil { return try validateBatch() }
        if batch.resume || batch.recursive {
            throw ValidationError("--resume and --recursive need --jobs or --to")
        }
        guard let input else { throw ValidationError("Missing expected argument '<input>'") }
        guard let output else { throw ValidationError("Missing expected argument '<output>'") }
        if FileStatus(path: input)?.kind == .folder {
            throw ValidationError(
                "\(input) is a folder: add --to webm (or mkv, ivf, y4m) for the clips in it; an image sequence is "
                    + "named as \(input)/*.png or \(input)/frame%03d.png")
        }
        try files.validate(input, output, options)
        if json, output == "-" || files.low == "-" {
            throw ValidationError("--json and the clip cannot both go to standard output")
        }
    }

    private func validateBatch() throws {
        if (files.more + [files.thumbnails]).contains(where: { $0 != nil }) {
            throw ValidationError(
                "--low, --pictures, --low-pictures and --thumbnails name files of one job: put them into the list")
        }
        if batch.jobs != nil {
            guard input == nil, batch.to == nil, !batch.recursive else {
                throw ValidationError("--jobs names all clips: leave out INPUT, OUTPUT, --to and --recursive")
            }
            return
        }
        // A folder that does not exist is reported later, like a clip that does not exist.
        guard let input, output != nil, FileStatus(path: input)?.kind ?? .folder == .folder else {
            throw ValidationError("--to needs two folders, one with the clips and one for the outputs")
        }
    }
}
