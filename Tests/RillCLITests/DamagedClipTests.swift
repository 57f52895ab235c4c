import Foundation
import RillCore
import RillTestSupport
import Testing

/// `rill transcode` of files that are damaged in every way: a process for each, so that one that brings it down is one.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
struct DamagedClipTests {
    private static let count = unsafe getenv("RILL_LONG_TESTS") != nil ? 1000 : 20
    private let folder = TemporaryFolder()

    /// What became of the inputs.
    private struct Tally: CustomStringConvertible {
        var (whole, partial, refused) = (0, 0, 0)
        /// Inputs that bring FFmpeg's own program down too.
        var crashesOfFFmpeg: [Int] = []
        var description: String {
            "\(whole) whole, \(partial) in part, \(refused) refused, crashes of FFmpeg's: \(crashesOfFFmpeg)"
        }
    }

    @Test(arguments: [
        ("mp4", ["-c:v", "libx264", "-g", "3", "-bf", "2", "-c:a", "aac"]),
        ("mkv", ["-c:v", "libx265", "-c:a", "flac"]),
        ("webm", ["-c:v", "libvpx", "-c:a", "libopus"]),
        ("mov", ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "-c:a", "pcm_s16le"]),
        ("avi", ["-c:v", "mpeg4", "-c:a", "libmp3lame"]), ("ts", ["-c:v", "mpeg2video", "-r", "25", "-c:a", "mp2"]),
        ("gif", []),
    ])
    func `A damaged file is transcoded, in part if need be, or refused`(container: String, options: [String]) throws {
        let seed = folder.path("seed.\(container)")
        let sound = container == "gif" ? [] : ["-f", "lavfi", "-i", "sine=duration=1.2"]
        try Peer.ffmpeg.run(
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=32x32:rate=5:duration=1.2"] + sound + options
                + ["-threads", "1", "-bitexact", seed])
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: seed)))
        var tally = Tally()
        let inputs = MutatedInputs(of: [bytes], count: Self.count, using: SeededGenerator(seed: 11))
        for (index, input) in inputs.enumerated() { try check(input, index, container, &tally) }
        print("\(container): \(tally)")
        // Of a transport stream 17 of 1000 are refused: it may begin anywhere.
        let isRefusable = container != "ts" || Self.count >= 1000
        #expect(
            tally.whole + tally.partial > Self.count / 10 && (tally.refused > 0 || !isRefusable),
            "\(container): \(tally)")
    }

    private func check(_ input: [UInt8], _ index: Int, _ container: String, _ tally: inout Tally) throws {
        let (path, output) = (folder.path("in.\(container)"), folder.path("out.mkv"))
        try write(input, to: path)
        try? FileManager.default.removeItem(atPath: output)  // there is none at first
        let outcome = try transcode(path, output)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        let text = "\(container), input \(index): \(outcome.status) \(outcome.errors)"
        #expect(!files.contains { $0.hasSuffix(".part") }, "\(text)")
        let isThere = files.contains("out.mkv")
        switch outcome.status {
        case 0:
            tally.whole += 1
            #expect(isThere, "\(text)")
        case 3:
            // What could be saved is there, and it is said that there was more.
            tally.partial += 1
            #expect(isThere && outcome.errors.contains { !$0.isWhitespace }, "\(text)")
        case 1, 2:
            tally.refused += 1
            #expect(!isThere && outcome.errors.split(separator: "\n").count == 1, "\(text)")
        default:
            // Whose it is: FFmpeg's own program goes the same way through its libraries, without us.
            let theirs = try Program(named: "ffmpeg")?.start(["-v", "quiet", "-i", path, "-f", "null", "-"], limit: 60)
                .wait()
            guard (theirs?.status ?? 0) >= 124 else {
                let kept = FileManager.default.temporaryDirectory.appending(path: "rill-crash-\(index).\(container)")
                try write(input, to: kept.path)
                Issue.record("\(text), kept as \(kept.path)")
                return
            }
            tally.crashesOfFFmpeg.append(index)
        }
    }

    /// In at most 4 GiB of addresses, and for at most a minute.
    private func transcode(_ input: String, _ output: String) throws -> RunningProgram.Outcome {
        let rill = try rillProgram()
        var shell = try #require(Program(path: "/bin/sh"))
        shell.environment = rill.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        // The address sanitizer takes terabytes of them, and uses few.
        let limit = isAddressSanitized ? "" : "ulimit -v 4194304; "
        return try shell.start(
            ["-c", limit + "exec \"$0\" transcode \"$1\" \"$2\"", rill.path, input, output], limit: 60
        ).wait()
    }
}
