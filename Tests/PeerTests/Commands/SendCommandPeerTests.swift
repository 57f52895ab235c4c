import Rill
import RillCore
import RillTestSupport
import Testing

/// `rill send` to players of others, by the very lines that it prints: every frame comes, byte by byte.
@Suite struct SendCommandPeerTests {
    let folder = TemporaryFolder()
    private static let seconds = isLongRun ? 10 : 2
    private let shell = Program(path: "/bin/sh")

    /// Starts `rill send` to a port, which leaves time to start a player.
    private func send(to port: UInt16, _ suite: String, codec: String = "vp8") async throws -> RunningProgram {
        let key = suite == "clear" ? [] : ["--key-file", try await RillRun.key(suite, in: folder).path]
        return try RillRun.start(
            [
                "send", "--to", "127.0.0.1:\(port)", "--size", "320x240", "--codec", codec, "--duration",
                "\(Self.seconds)s", "--delay", "2s", "--sdp", folder.path("out.sdp"), "--coded",
                folder.path("sent.ivf"), "--json",
            ] + key)
    }

    /// Runs a line of a player's until `rill` has ended, and compares what that sent with what came.
    private func play(
        _ line: String, of sender: RunningProgram, at port: UInt16, _ frames: () throws -> [UInt8]
    ) async throws {
        let player = try #require(shell).start(["-c", "exec " + line], limit: 60)
        try await RunningPeer.waitUntilListening(port: port)
        let report = try RillRun.Report(try await sender.finished())
        try await Task.sleep(for: .milliseconds(700))
        player.interrupt()
        let outcome = try await player.finished()
        let sent = try IVFFrames.read(folder.path("sent.ivf"))
        let (expected, got) = (Array(sent.joined()), try frames())
        let isEqual = got == expected
        #expect(isEqual, "\(got.count) of \(expected.count) bytes; \(outcome.errors)")
        #expect(sent.count >= Self.seconds * 15 && report.statistics.layers[0].encoder.framesEncoded == sent.count)
        note("\(line.prefix(14)): \(sent.count) frames, all bytes equal: \(isEqual)")
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: ["clear", "gcm-128", "gcm-256", "cm-80"].map { ($0, "vp8") }
            + (isLongRun ? [("gcm-256", "vp9")] : []))
    func `GStreamer gets every frame by the line that is printed for it`(suite: String, codec: String) async throws {
        let (port, path) = (try PeerEnd.freePort(), folder.path("got.bin"))
        let sender = try await send(to: port, suite, codec: codec)
        let line = try await sender.said("gst-launch-1.0 ")
        #expect(line.contains("srtp-key") == (suite != "clear"))
        let end = "\(codec)dec ! videoconvert ! autovideosink"
        #expect(line.contains(end))
        let file = "filesink location=\(path) buffer-mode=unbuffered"
        try await play(line.replacing(end, with: file), of: sender, at: port) { try read(path) }
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: ["clear", "cm-80"])
    func `FFmpeg gets every frame by the line that is printed for it`(suite: String) async throws {
        let (port, path) = (try PeerEnd.freePort(), folder.path("got.ivf"))
        let sender = try await send(to: port, suite)
        let line = try await sender.said("ffmpeg ").replacing(
            "ffmpeg ", with: "ffmpeg -nostdin -v error ", maxReplacements: 1
        )
        .replacing("received.mkv", with: path)
        try await play(line, of: sender, at: port) { try IVFFrames.read(path).flatMap(\.self) }
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg, which sends no reports, is sent the whole bitrate to the end`() async throws {
        let (port, path) = (try PeerEnd.freePort(), folder.path("got.ivf"))
        let seconds = isLongRun ? 40 : 5
        let sender = try RillRun.start([
            "send", "--to", "127.0.0.1:\(port)", "--size", "320x240", "--bitrate", "900k", "--no-reports", "--duration",
            "\(seconds)s", "--delay", "2s", "--sdp", folder.path("out.sdp"), "--coded", folder.path("sent.ivf"),
            "--json",
        ])
        let line = try await sender.said("ffmpeg ").replacing(
            "ffmpeg ", with: "ffmpeg -nostdin -v error ", maxReplacements: 1
        )
        .replacing("received.mkv", with: path)
        try await play(line, of: sender, at: port) { try IVFFrames.read(path).flatMap(\.self) }
        let bitrate = 8 * (try read(folder.path("sent.ivf")).count) / seconds
        // Without the option it is 300 kbit/s, and nothing after 15 s.
        #expect(bitrate > 600_000, "\(bitrate) bit/s")
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `ffplay's options open the description`() async throws {
        let port = try PeerEnd.freePort()
        let sender = try await send(to: port, "cm-80", codec: "vp9")
        // The same without a window: every picture is decoded, and counted.
        let line = try await sender.said("ffplay ").replacing(
            "ffplay ", with: "ffmpeg -nostdin -v error ", maxReplacements: 1)
        let path = folder.path("pictures.md5")
        let player = try #require(shell).start(
            ["-c", "exec \(line) -fps_mode passthrough -f framemd5 -y \(path)"], limit: 60)
        try await RunningPeer.waitUntilListening(port: port)
        #expect(try await sender.finished().status == 0)
        try await Task.sleep(for: .milliseconds(700))
        player.interrupt()
        _ = try await player.finished()
        let sent = checksums(
            try Peer.ffmpeg.run(
                "-v", "error", "-i", folder.path("sent.ivf"), "-fps_mode", "passthrough", "-f", "framemd5", "-"))
        // FFmpeg 5.1 gives a VP9 frame out when the next one begins.
        let missing = Set(sent.dropLast()).subtracting(checksums(try read(path)))
        #expect(missing.isEmpty && sent.count >= Self.seconds * 15, "\(missing.count) of \(sent.count)")
    }

    /// Checksums of the pictures, from FFmpeg's `framemd5`.
    private func checksums(_ text: [UInt8]) -> [Substring] {
        String(decoding: text, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: " ").last }
    }
}
