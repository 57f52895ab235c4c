import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillImage
import RillPages
import RillScenes

/// `rill bench`: Rill beside what a user would pick instead.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure Rill beside FFmpeg, GStreamer and vpxenc: whole processes, same clip, same settings.",
        usage: "rill bench [<job> …|all] [<clip>] [<options>]",
        discussion: """
            Runs each program by turns on the same clip, with settings as alike as they can be made, and compares CPU \
            seconds, wall seconds, peak memory and instructions (under valgrind, where it is installed). One command runs \
            twice: what differs there is chance, and no smaller difference counts. A program that is not installed is \
            named and left out. Without a clip the portrait scene is drawn at 1280x720.

            The figures are those of the machine as it is: let it rest meanwhile, and look at the load in the report.

            `latency` and `scale` measure Rill alone. `latency`: what a live call's frames go through, from capture to \
            the last packet and from the first packet to the picture, on a machine that rests and on one whose threads are \
            all busy. `scale`: how many live senders, and how many received streams, one process carries before pictures \
            are left out or late, what they take, and how well a model of the cost of a layer, a packet and a pixel \
            foresees it.

            Examples:
              rill bench
              rill bench send clip.mp4 --html send.html
              rill bench all --turns 21 --html bench.html
              rill bench transcode --no-instructions --json
              rill bench scale clip.mp4 --seconds 10 --rounds 3
              rill bench latency clip.mp4 --duration 10min --html latency.html
            """)

    /// What can be measured.
    enum Job: String, CaseIterable, Sendable {
        case send, receive, transcode, beauty, latency, scale
    }

    @Argument(
        help: ArgumentHelp(
            "What to measure, some of \(Job.allCases.map(\.rawValue).joined(separator: ", ")), or all (the default), and the clip to do it with."
        ))
    var words: [String] = []

    @Option(help: "Runs of each program.")
    var turns = 11

    @Option(help: "Frames of the clip, from its beginning, at most.")
    var frames = 300

    @Option(help: "Bitrate of the coded clip (default: by its size, 1500k at 1280x720).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "How long each live call of `latency` lasts (default: 60s).", transform: durationNotation)
    var duration = MediaDuration.seconds(60)

    @Flag(inversion: .prefixedNo, help: "Count instructions too, where valgrind is installed: a minute a program.")
    var instructions = true

    @Option(help: "Where the order of the programs in each turn comes from.")
    var seed: UInt64 = 1

    @Option(help: "Seconds that each load of `scale` is timed; for half as many its instructions are counted.")
    var seconds = 8

    @Option(help: "Rounds of `scale`; the middle one counts, and for its model the least.")
    var rounds = 1

    @Option(help: "Senders, and participants, of `scale` at most.")
    var most = 4096

    @Option(
        name: .customLong("work"),
        help: "Another build of rill-bench-work to measure, in the place of the one beside rill.")
    var benchWork: String?

    @Option(help: "Write a page with plots, as .html.")
    var html: String?

    @Flag(help: "Print one JSON object instead of tables.")
    var json = false

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    func run() throws {
        let interruption = Interruption()
        let folder = try BenchFolder { !interruption.isWanted }
        let status = StatusLine()
        defer { status.clear() }
        func show(_ text: String) throws {
            guard !interruption.isWanted else { throw BenchError.interrupted }
            status.show(text)
        }
        do {
            let machine = Surroundings.machine
            let (clip, missing) = try makeClip(in: folder) { try show("reading the clip: \($0) frames") }
            let countsInstructions = instructions && jobs.contains { $0 != .latency }
            let counter =
                countsInstructions
                ? Callgrind(in: folder, own: [Tool.rill, benchWork ?? Tool.benchWork].compactMap(\.self)) : nil
            if countsInstructions, counter == nil {
                StandardError.print("valgrind is not installed: instructions are not counted")
            }
            var run = BenchRun(turnCount: turns, seed: seed, callgrind: counter, progress: show)
            var results: [JobResult] = []
            for job in jobs {
                try show("\(job.rawValue): getting ready")
                guard let contest = try make(job, clip, folder) else { continue }
                results.append(try run.results(of: contest))
            }
            let latency = try jobs.contains(.latency) ? self.latency(clip, folder, progress: show) : nil
            let scale = try jobs.contains(.scale) ? self.scale(clip, folder, progress: show) : nil
            // What was last measured may have taken Ctrl-C for its end.
            guard !interruption.isWanted else { throw BenchError.interrupted }
            status.clear()
            let report = BenchReport(
                clip: "\(clip.name), \(clip.resolution), \(clip.frameCount) frames at 30 a second",
                resolution: clip.resolution, turns: turns, machine: machine,
                versions: Surroundings.versions(in: folder), jobs: results, latency: latency, scale: scale)
            if let html { try OutputFile.write(BenchPage(report).page.bytes, to: html) }
            if json { try JSONOutput.print(report) } else { try StandardOutput.print(report.text) }
            if let missing {
                StandardError.print(missing)
                throw ExitCode.partialResult
            }
        } catch BenchError.interrupted {
            throw ExitCode.interrupted
        }
    }

    /// The clip, and what of it is missing, if anything is that would have been measured with.
    private func makeClip(
        in folder: BenchFolder, progress: (Int) throws -> Void
    ) throws -> (BenchClip, missing: String?) {
        let source: any FrameSource
        var name = "the drawn portrait"
        if let path = clipPath {
            source = I420Source(try readingInput { try clipOptions.open(path, capacity: 2) })
            name = path.split(separator: "/").last.map(String.init) ?? path
        } else {
            source = try PortraitScene(resolution: .hd720, frameRate: 30, frameCount: frames)
        }
        let health = InputHealth(source, of: clipPath)
        let clip = try BenchClip(
            InputSource(source), name: name, frameLimit: frames, bitrate: bitrate, in: folder, progress: progress)
        return (clip, health.failure(wasReadToItsEnd: clip.frameCount < frames))
    }

    private func work() throws -> String {
        guard let path = benchWork ?? Tool.benchWork else {
            throw CommandError(
                "rill-bench-work, which is measured, is not beside \(Tool.rill): build all with `swift build -c release`"
            )
        }
        return path
    }

    private func latency(
        _ clip: BenchClip, _ folder: BenchFolder, progress: (String) throws -> Void
    ) throws -> LatencyResult {
        try LatencyBench(clip: clip, work: try work(), folder: folder, duration: duration).run(progress: progress)
    }

    private func scale(
        _ clip: BenchClip, _ folder: BenchFolder, progress: @escaping (String) throws -> Void
    ) throws -> ScaleResult {
        try ScaleBench(
            clip, work: try work(), seconds: Double(seconds), rounds: rounds, most: most, in: folder, progress: progress
        ).run()
    }

    /// A job of rivals; `nil` for what Rill is measured in alone.
    private func make(_ job: Job, _ clip: BenchClip, _ folder: BenchFolder) throws -> (any BenchJob)? {
        switch job {
        case .send: return try SendBench(clip, work: try work(), in: folder)
        case .receive: return try ReceiveBench(clip, work: try work(), in: folder)
        case .transcode: return try TranscodeBench(clip, in: folder)
        case .beauty: return BeautyBench(clip, work: try work(), in: folder)
        case .latency, .scale: return nil
        }
    }

    /// Words up to the first that names no job; that one is the clip.
    private var chosen: [Job] { words.prefix { Job(rawValue: $0) != nil }.compactMap(Job.init(rawValue:)) }
    private var isAll: Bool { words.first == "all" }
    private var jobs: [Job] { chosen.isEmpty ? Job.allCases : Job.allCases.filter(chosen.contains) }
    private var afterJobs: ArraySlice<String> { words.dropFirst(isAll ? 1 : chosen.count) }
    private var clipPath: String? { afterJobs.first }

    func validate() throws {
        guard afterJobs.count <= 1 else {
            let jobs = Job.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "\(afterJobs.joined(separator: " and ")): one clip at most, behind some of \(jobs), or all")
        }
        guard (1...999).contains(turns) else { throw ValidationError("--turns goes from 1 to 999, not \(turns)") }
        guard (6...100_000).contains(frames) else {
            throw ValidationError("--frames goes from 6 to 100000, not \(frames)")
        }
        guard (1...3600).contains(seconds) else {
            throw ValidationError("--seconds goes from 1 to 3600, not \(seconds)")
        }
        guard (1...100_000).contains(most) else { throw ValidationError("--most goes from 1 to 100000, not \(most)") }
        guard (1...99).contains(rounds) else { throw ValidationError("--rounds goes from 1 to 99, not \(rounds)") }
        guard (.seconds(1) ... .seconds(86_400)).contains(duration) else {
            throw ValidationError("--duration goes from 1s to 86400s, not \(duration)")
        }
        if clipPath == "-" { throw ValidationError("all programs read the clip: it has to be a file") }
        if let html, !html.hasSuffix(".html") { throw ValidationError("\(html): the name of a page must end in .html") }
        try requireDistinct(input: clipPath, outputs: [html])
    }
}
