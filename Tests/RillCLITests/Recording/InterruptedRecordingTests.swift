import Foundation
import Glibc
import RillTestSupport
import Testing

/// Recordings that a signal ends: complete files, whichever signal it is.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled && Peer.ffprobe.isInstalled, "ffmpeg is not installed"))
struct InterruptedRecordingTests {
    private let folder = TemporaryFolder()

    /// A terminal that is closed, Ctrl-C, and the end of a service.
    static let signals = [SIGHUP, SIGINT, SIGTERM]

    @Test(arguments: signals.map { ($0, "webm") } + [(SIGHUP, "y4m"), (SIGHUP, "ivf")])
    func `A received stream is complete until the signal`(signal: Int32, kind: String) throws {
        let (output, port) = (folder.path("got.\(kind)"), try freePorts(1)[0])
        let receiver = try rillProgram().start(["receive", "--port", port, "--output", output, "--json"], limit: 60)
        let sender = try startSender(to: port)
        try waitForFrames(receiver)
        try receiver.send(signal)
        let outcome = try receiver.wait()
        withExtendedLifetime(sender) {}
        #expect(outcome.status == 0, "\(outcome.status) \(outcome.errors)")
        let decoded = try framesDecoded(outcome)
        let probed = try frameCount(output)
        // A Y4M has pictures for frames that were lost, and the statistics are a moment older than the file.
        let isComplete = kind == "y4m" ? probed >= decoded - 1 : (decoded...decoded + 6).contains(probed)
        #expect(decoded > 5 && isComplete, "\(probed) frames in the file, \(decoded) decoded")
    }

    @Test func `A process that ignores SIGHUP, as nohup makes it, goes on recording`() throws {
        let (output, port) = (folder.path("got.webm"), try freePorts(1)[0])
        let nohup = try existing(Program(named: "nohup"))
        let receiver = try nohup.start(
            [rillProgram().path, "receive", "--port", port, "--output", output, "--json"], limit: 60)
        let sender = try startSender(to: port)
        try waitForFrames(receiver)
        try receiver.send(SIGHUP)
        let lines = statusLines(receiver)
        try wait("two seconds", receiver) { _ in statusLines(receiver) >= lines + 2 }
        try receiver.send(SIGINT)
        let outcome = try receiver.wait()
        withExtendedLifetime(sender) {}
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try frameCount(output) > 5)
    }

    @Test(
        .enabled(if: PreloadedCamera.obstacle == nil, "no camera is preloaded: see PreloadedCamera.obstacle"),
        arguments: signals)
    func `A recorded camera is complete until the signal`(signal: Int32) throws {
        let output = folder.path("camera.ivf")
        let camera = PreloadedCamera()
        let recording = try camera.program().start(
            ["record", "/dev/video0", output, "--duration", "60s", "--camera-size", "160x120", "--json"], limit: 60)
        try wait("a frame", recording) { $0.contains("streaming") && !parts().isEmpty }
        try recording.send(signal)
        let outcome = try recording.wait()
        withExtendedLifetime(camera) {}
        try #require(outcome.status == 0, "\(outcome.status) \(outcome.errors)")
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
        #expect(try frameCount(output) == summary["framesWritten"] as? Int, "\(summary)")
    }

    /// Files with something in them.
    private func parts() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("."))) ?? []
        return names.filter { (try? !read(folder.path($0)).isEmpty) ?? false }
    }

    private func statusLines(_ program: RunningProgram) -> Int {
        program.errorsSoFar.split(separator: "\n").filter { $0.contains(" s  received") }.count
    }

    /// Waits for about a second of frames.
    private func waitForFrames(_ program: RunningProgram) throws {
        try wait("a frame", program) { $0.contains("first picture") }
        let lines = statusLines(program)
        try wait("a second", program) { _ in statusLines(program) >= lines + 2 }
    }

    // MARK: Timestamps that jump

    /// What FFmpeg makes of a sender's timestamps, in ticks of 90 kHz; each stream has 45 frames in 1.5 s.
    private static let jumps = [
        // An hour ahead, once.
        "if(gte(N\\,15)\\,PTS+324000000\\,PTS)",
        // Six hours ahead every ten frames, several in a row: as a clip that loops without new timestamps, backwards.
        "PTS+floor(N/10)*1944000000",
        // Back by an hour: FFmpeg itself makes the timestamps stand still instead.
        "if(lt(N\\,15)\\,PTS+324000000\\,PTS)",
        // With each frame.
        "PTS+N*360000000",
    ]

    /// A jump of an hour was a minute of repeated pictures, or an hour in a WebM.
    @Test(arguments: jumps.map { ($0, "y4m") } + [(jumps[0], "webm"), (jumps[2], "webm"), (jumps[3], "ivf")])
    func `A stream of FFmpeg whose timestamps jump is recorded as long as it was`(jump: String, kind: String) throws {
        let (output, port) = (folder.path("got.\(kind)"), try freePorts(1)[0])
        let receiver = try rillProgram().start(
            ["receive", "--port", port, "--output", output, "--timeout", "1500ms", "--json"], limit: 60)
        let sender = try startSender(to: port, repeats: "0", filter: "setts=pts=\(jump):dts=\(jump)")
        let outcome = try receiver.wait()
        withExtendedLifetime(sender) {}
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("the sender's timestamps are suddenly"), "\(outcome.errors)")
        // Of the 45 frames the jitter buffer drops some at each jump.
        let count = try frameCount(output)
        #expect((1...90).contains(count), "\(count) frames")
        // FFmpeg's demuxer takes the length of an IVF from the header, which has none.
        guard kind != "ivf" else { return }
        let seconds = try #require(Double(probe(output, "format=duration")))
        #expect(seconds < 3, "\(seconds) s")
        if jump != Self.jumps[3] { #expect(count > 20 && seconds > 0.7, "\(count) frames in \(seconds) s") }
    }

    // MARK: Programs

    /// 45 frames of VP8 of 160x120 in 1.5 s.
    private static let clip: String? = {
        let path = clipFolder.path("sent.webm")
        let made = try? Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=30", "-t", "1.5", "-c:v", "libvpx", "-g", "10",
            "-deadline", "realtime", "-b:v", "300k", path)
        return made == nil ? nil : path
    }()
    private static let clipFolder = TemporaryFolder()

    /// FFmpeg as sender, of small packets.
    private func startSender(to port: String, repeats: String = "-1", filter: String = "null") throws -> RunningPeer {
        try Peer.ffmpeg.start(
            [
                "-v", "error", "-re", "-stream_loop", repeats, "-i", existing(Self.clip), "-c", "copy", "-bsf:v",
                filter,
                "-f", "rtp", "-payload_type", "96", "rtp://127.0.0.1:\(port)?pkt_size=300",
            ], limit: 60)
    }

    private func wait(_ what: String, _ program: RunningProgram, for condition: (String) -> Bool) throws {
        for _ in 0..<2000 {
            if condition(program.errorsSoFar) { return }
            guard !program.hasEnded else { break }
            usleep(10_000)
        }
        throw TestFailure("\(what) did not come: \(program.errorsSoFar)")
    }

    private func probe(_ path: String, _ entries: String) throws -> String {
        let text = try Peer.ffprobe.run(
            "-v", "error", "-count_frames", "-show_entries", entries, "-of", "default=noprint_wrappers=1:nokey=1", path)
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func frameCount(_ path: String) throws -> Int {
        try #require(Int(try probe(path, "stream=nb_read_frames")))
    }

    private func framesDecoded(_ outcome: RunningProgram.Outcome) throws -> Int {
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
        let them = ((json?["statistics"] as? [String: Any])?["participants"] as? [[String: Any]])?.first
        let shown = (them?["shown"] as? [[String: Any]])?.first?["received"] as? [String: Any]
        return try #require((shown?["decoder"] as? [String: Any])?["framesDecoded"] as? Int)
    }
}
