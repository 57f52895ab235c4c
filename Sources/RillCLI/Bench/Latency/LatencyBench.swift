import Glibc
import Rill
import RillCore
import RillPages

/// A live call with oneself, on a machine that rests, on one that may not sleep, and on one that does other work.
struct LatencyBench {
    let clip: BenchClip
    /// `rill-bench-work`.
    let work: String
    let folder: BenchFolder
    /// How long each call lasts.
    let duration: MediaDuration

    /// Reading the clip, and showing the last frames, on a slow machine.
    private static let secondsAround = 300.0
    /// Looks at the call while it lasts are rare: they must not be what it is woken by.
    private static let pause: UInt32 = 200_000

    private var frameCount: Int { max(1, Int(duration.seconds * Double(BenchClip.framesPerSecond))) }

    private var command: Invocation {
        Invocation(words: [work, "latency", clip.y4m, "\(clip.bitrate)", "\(frameCount)"])
    }

    /// Runs a call under each condition that the system allows.
    ///
    /// - Parameter progress: is told what is done; throws to end everything.
    func run(progress: (String) throws -> Void) throws -> LatencyResult {
        let threads = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        var (conditions, explanation) = ([try condition(.idle, "nothing else is started", progress)], explanation)
        do {
            conditions.append(
                try withExtendedLifetime(try WakeLatencyRequest()) {
                    try condition(.sleepless, "nothing else is started, and no processor sleeps", progress)
                })
        } catch let refusal as WakeLatencyRequest.RequestError {
            explanation.append("There was no call without sleep: \(refusal).")
        }
        let busy = try BusyLoad(count: threads, work: work, in: folder).during {
            try condition(.busy, "\(threads) other processes keep all \(threads) hardware threads busy", progress)
        }
        return LatencyResult(
            seconds: Double(frameCount) / Double(BenchClip.framesPerSecond), command: command.text,
            explanation: explanation, conditions: conditions + [busy])
    }

    private func condition(
        _ name: LatencyResult.Condition.Name, _ load: String, _ progress: (String) throws -> Void
    ) throws -> LatencyResult.Condition {
        let start = MachineTime.now
        let child = try folder.start(command, output: "latency-\(name)")
        var looks = 0
        let limit = duration.seconds + LatencyBench.secondsAround
        let turn = try child.wait(limit: limit, pause: LatencyBench.pause) {
            looks += 1
            let seconds = min(Double(looks) * Double(LatencyBench.pause) / 1e6, duration.seconds)
            try progress("latency, \(name): \(Clock.text(seconds)) of \(Clock.text(duration.seconds))")
        }
        let others = start.flatMap { MachineTime.now?.others(since: $0, without: turn) }
        let low = LayerSettings.low
        return LatencyResult.Condition(
            name: name, load: load, others: others, try LatencyRecord(parsing: turn.output),
            framesPerSecond: ["\(low.rid)": Int(low.frameRate.framesPerSecond)])
    }

    private var explanation: [String] {
        [
            "One process plays the clip as a camera at 30 frames a second, its pictures held in memory, codes it as "
                + "\(clip.resolution) and as 160x120 at 5 frames a second, sends both over UDP on 127.0.0.1, receives, "
                + "decodes and shows them; capture, each encoder, receiving and decoding have a thread each. All stamps are "
                + "of one clock. The high layer's encoder has a hardware thread for itself, all others share the rest. The "
                + "clip's first 60 pictures are played forwards and backwards, so that no cut is in it.",
            "Before the call two threads do nothing but wake, 30 times a second for half a minute: one sleeps, and wakes the "
                + "other. That is what the machine takes in that half minute; it may be worse later.",
            "A processor with nothing to do sleeps, and on a virtual machine wakes when the host comes back to it. In the "
                + "call without sleep Linux is asked for processors that are awake at once "
                + "(\(WakeLatencyRequest.device)), as an app may ask with WakeLatencyRequest.",
            "Captured is when a frame was due, so the capture thread's lateness counts. What Rill adds is the time to the last "
                + "packet without the encoder's own call: waking, handing over, scaling, cutting into packets, the system's "
                + "calls. What is shown waits in the jitter buffer until its time has come.",
        ]
    }
}

/// Processes that do nothing, as fast as they can.
private struct BusyLoad {
    var count: Int
    var work: String
    var folder: BenchFolder

    init(count: Int, work: String, in folder: BenchFolder) {
        (self.count, self.work, self.folder) = (count, work, folder)
    }

    /// Each ends when this does, and by itself should nobody be left to end it.
    func during<Result>(_ body: () throws -> Result) throws -> Result {
        let children = try (0..<count).map { index in
            try folder.start(Invocation(words: [work, "spin", "\(getpid())"]), output: "spin-\(index)")
        }
        return try withExtendedLifetime(children) { try body() }
    }
}
