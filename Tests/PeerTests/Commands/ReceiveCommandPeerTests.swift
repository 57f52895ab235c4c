import Rill
import RillCore
import RillReceive
import RillSecurity
import RillTestSupport
import Testing

/// `rill receive` from senders of others: every frame is decoded, and its bytes are those that were sent.
@Suite struct ReceiveCommandPeerTests {
    let folder = TemporaryFolder()
    private static let frameCount = isLongRun ? 300 : 60

    /// What came, once the sender is silent.
    private func finish(_ receiver: RunningProgram) async throws -> (frames: [[UInt8]], report: RillRun.Report) {
        let report = try RillRun.Report(try await receiver.finished())
        return (try IVFFrames.read(folder.path("got.ivf")), report)
    }

    private func receive(_ source: [String]) throws -> RunningProgram {
        try RillRun.start(
            ["receive"] + source + ["--output", folder.path("got.ivf"), "--timeout", "2s", "--json"])
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: ["clear", "gcm-128", "gcm-256", "cm-80"])
    func `GStreamer's stream is received completely`(suite: String) async throws {
        let (port, path) = (try PeerEnd.freePort(), folder.path("sent.bin"))
        var (words, protection): ([String], [String]) = (["--port", "\(port)"], [])
        if suite != "clear" {
            let (file, key) = try await RillRun.key(suite, in: folder)
            words += ["--key-file", file]
            let (cipher, auth) = key.profile.nameInGStreamer
            protection = [
                "!", "srtpenc", "key=\(key.digits)", "rtp-cipher=\(cipher)", "rtp-auth=\(auth)",
                "rtcp-cipher=\(cipher)",
                "rtcp-auth=\(auth)",
            ]
        }
        let receiver = try receive(words)
        _ = try await receiver.said("listening on")
        let peer = try Peer.gstreamer.start(
            [
                "-q", "videotestsrc", "num-buffers=\(Self.frameCount)", "is-live=true", "!",
                "video/x-raw,width=320,height=240,framerate=30/1", "!", "vp8enc", "deadline=1", "keyframe-max-dist=30",
                "!", "tee", "name=t", "!", "queue", "!", "rtpvp8pay", "pt=96", "picture-id-mode=15-bit",
            ] + protection + [
                "!", "udpsink", "host=127.0.0.1", "port=\(port)", "t.", "!", "queue", "!", "filesink",
                "location=\(path)",
            ], limit: 60)
        _ = try await peer.finished()
        let (frames, report) = try await finish(receiver)
        let isEqual = try Array(frames.joined()) == read(path)
        #expect(isEqual && frames.count == Self.frameCount, "\(frames.count) frames")
        judge(report, "GStreamer, \(suite)")
    }

    @Test(
        .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"),
        arguments: [("clear", true), ("clear", false), ("cm-80", true)])
    func `FFmpeg's stream is received completely, according to its description`(suite: String, sharesPort: Bool)
        async throws
    {
        let (port, description) = (try PeerEnd.freePort(), folder.path("in.sdp"))
        var (scheme, protection): (String, [String]) = ("rtp", [])
        if suite != "clear" {
            let key = try await RillRun.key(suite, in: folder).key
            (scheme, protection) = (
                "srtp", ["-srtp_out_suite", key.profile.suite.rawValue, "-srtp_out_params", key.base64]
            )
        }
        // RTCP comes from a port of its own, and first.
        let url = "\(scheme)://127.0.0.1:\(port)" + (sharesPort ? "?rtcpport=\(port)" : "")
        func start(_ frameCount: Int, _ more: String...) throws -> RunningPeer {
            try Peer.ffmpeg.start(
                [
                    "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=30", "-frames:v",
                    "\(frameCount)", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k", "-g",
                    "30",
                ] + protection + ["-f", "rtp"] + more + [url], limit: 60)
        }
        // It writes its description when it begins to send: once for that alone.
        _ = try await start(1, "-sdp_file", description).finished()
        let receiver = try receive([description])
        _ = try await receiver.said("listening on")
        _ = try await start(Self.frameCount).finished()
        let (frames, report) = try await finish(receiver)
        #expect(frames.count == Self.frameCount, "\(frames.count) frames")
        judge(report, "FFmpeg, \(suite)")
    }

    private func ffmpeg(_ port: UInt16, frames: Int, _ more: String...) -> [String] {
        [
            "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=30", "-frames:v",
            "\(frames)", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k", "-g", "15",
        ] + more + ["-f", "rtp", "rtp://127.0.0.1:\(port)?rtcpport=\(port)"]
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: ["", "\u{FEFF}", "\r\n\n"])
    func `What FFmpeg prints on its console describes its stream`(heading: String) async throws {
        let (port, description) = (try PeerEnd.freePort(), folder.path("in.sdp"))
        let printed = try Peer.ffmpeg.run(ffmpeg(port, frames: 1))
        #expect(printed.starts(with: "SDP:\nv=0".utf8))
        try write(Array(heading.utf8) + printed, to: description)
        let receiver = try receive([description])
        _ = try await receiver.said("listening on")
        _ = try Peer.ffmpeg.run(ffmpeg(port, frames: Self.frameCount))
        #expect(try await finish(receiver).frames.count == Self.frameCount)
    }

    @Test(
        .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"),
        arguments: [
            (["-payload_type", "100", "-ssrc", "4660"], "payload type 100 from SSRC 0x00001234"),
            (["-c:v", "mpeg1video", "-ssrc", "7"], "payload type 32 (MPEG video) from SSRC 0x00000007"),
            (["-c:v", "mjpeg", "-huffman", "default", "-pix_fmt", "yuvj420p", "-ssrc", "7"], "payload type 26 (JPEG)"),
        ])
    func `Other payload types than the described one are named`(change: [String], right: String) async throws {
        let (port, description) = (try PeerEnd.freePort(), folder.path("in.sdp"))
        try write(try Peer.ffmpeg.run(ffmpeg(port, frames: 1)), to: description)
        // A busy machine may need some seconds until FFmpeg's first packet.
        let receiver = try RillRun.start("receive", description, "--wait", "10s")
        _ = try await receiver.said("listening on")
        var words = ffmpeg(port, frames: 60)
        words.insert(contentsOf: change, at: words.count - 3)
        _ = try Peer.ffmpeg.run(words)
        let outcome = try await receiver.finished()
        #expect(outcome.status != 0)
        for text in ["on port \(port), but none of the described stream", "Described: VP8 as payload type 96", right] {
            #expect(outcome.errors.contains(text), "\(outcome.errors)")
        }
    }

    /// Nothing was lost, refused or left out.
    private func judge(_ report: RillRun.Report, _ name: String) {
        let (decoder, stream) = (report.received.decoder, report.received.stream)
        #expect(decoder.framesDecoded == Self.frameCount && stream.packetsLost == 0, "\(report.received)")
        #expect(report.participant.unprotected?.refused ?? 0 == 0)
        note("\(name): \(decoder.framesDecoded) of \(Self.frameCount) frames decoded")
    }
}
