import Foundation
import Rill
import RillCore
import RillRTP
import RillSecurity
import RillTestSupport
import RillTransport
import Testing

/// Other people's SRTP in a `VideoCall`, both ways: every frame comes, and its bytes are those that were sent.
@Suite struct ProtectedCallPeerTests {
    let folder = TemporaryFolder()
    private static let frameCount = isLongRun ? 300 : 90
    private static let size = Resolution(width: 320, height: 240)

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: [SRTPProfile.aeadAES128GCM, .aeadAES256GCM, .aesCM128Tag80])
    func `GStreamer's protected stream is shown completely`(profile: SRTPProfile) async throws {
        let key = SRTPKey.generate(profile)
        let end = try PeerEnd(key)
        let (cipher, auth) = profile.nameInGStreamer
        let path = folder.path("sent.bin")
        let peer = try Peer.gstreamer.start(
            [
                "-q", "videotestsrc", "num-buffers=\(Self.frameCount)", "is-live=true", "!",
                "video/x-raw,width=320,height=240,framerate=30/1", "!", "vp8enc", "deadline=1", "keyframe-max-dist=30",
                "!", "tee", "name=t", "!", "queue", "!", "rtpvp8pay", "pt=96", "picture-id-mode=15-bit", "!", "srtpenc",
                "key=\(key.digits)", "rtp-cipher=\(cipher)", "rtp-auth=\(auth)", "rtcp-cipher=\(cipher)",
                "rtcp-auth=\(profile == .aesCM128Tag80 ? "hmac-sha1-80" : "null")", "!", "udpsink", "host=127.0.0.1",
                "port=\(end.port)", "t.", "!", "queue", "!", "filesink", "location=\(path)",
            ], limit: 60)
        _ = try await peer.finished()
        let count = Self.frameCount
        let isComplete = try await end.eventually { $0.count == count }
        let statistics = end.participant.statistics
        await end.call.end()
        #expect(isComplete, "\(end.recorder.count) frames; \(statistics)")
        #expect(try Array(end.recorder.frames.joined()) == read(path), "the bytes of all frames")
        #expect(statistics.unprotected?.refused == 0)
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: [SRTPProfile.aeadAES128GCM, .aeadAES256GCM, .aesCM128Tag80])
    func `GStreamer unprotects our whole stream`(profile: SRTPProfile) async throws {
        let key = SRTPKey.generate(profile)
        let (cipher, auth) = profile.nameInGStreamer
        let (path, port) = (folder.path("got.bin"), try PeerEnd.freePort())
        let sent = SentFrames()
        let end = try PeerEnd(
            key, at: UDPAddress(.loopback, port: port), frames: Self.frameCount + 1, sent: sent, isHeld: true)
        let source = try #require(end.participant.statistics.session.sending.first?.ssrc)
        let caps =
            "application/x-srtp,media=(string)video,clock-rate=(int)90000,encoding-name=(string)VP8,payload=(int)96,"
            + "ssrc=(uint)\(source.rawValue),srtp-key=(buffer)\(key.digits),srtp-cipher=(string)\(cipher),"
            + "srtp-auth=(string)\(auth),srtcp-cipher=(string)\(cipher),"
            + "srtcp-auth=(string)\(profile == .aesCM128Tag80 ? "hmac-sha1-80" : "null")"
        let peer = try Peer.gstreamer.start(
            [
                "-q", "udpsrc", "port=\(port)", "address=127.0.0.1", "caps=\(caps)", "!", "srtpdec", "name=d",
                "d.rtp_src", "!",
                "rtpvp8depay", "!", "identity", "eos-after=\(Self.frameCount + 1)", "!", "filesink", "location=\(path)",
                "buffer-mode=unbuffered",
                // RTCP comes to the same port, and without somebody to take it ends the pipeline.
                "d.rtcp_src", "!", "fakesink", "async=false",
            ], limit: Self.frameCount / 30 + 25)
        try await RunningPeer.waitUntilListening(port: port)
        end.release()
        try await sent.steady()
        // `identity` drops the one that it ends at.
        let expected = Array(sent.frames.prefix(Self.frameCount).joined())
        let got = try read(path)
        await end.call.end()
        // It ends behind the last frame; on a machine so busy that a frame was left out, it is stopped.
        _ = try? await peer.finished()
        #expect(sent.count > Self.frameCount / 2 && got == expected, "\(got.count) bytes of \(expected.count)")
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg's protected stream is shown according to its own description`() async throws {
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let (port, path) = (socket.localAddress.port, folder.path("ffmpeg.sdp"))
        let key = SRTPKey.generate(.aesCM128Tag80)
        let peer = try Peer.ffmpeg.start(
            [
                "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=30", "-frames:v",
                "\(Self.frameCount)", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k", "-g",
                "30", "-srtp_out_suite", "AES_CM_128_HMAC_SHA1_80", "-srtp_out_params", key.base64, "-f", "rtp",
                "-sdp_file",
                path, "srtp://127.0.0.1:\(port)?rtcpport=\(port)",
            ], limit: 60)
        var text: [UInt8] = []
        for _ in 0..<500 where text.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
            text = (try? read(path)) ?? []  // at first there is no file
        }
        var settings = try ParticipantSettings(
            "ffmpeg", described: try SessionDescription(parsing: text.span), sending: .generate(.aesCM128Tag80))
        #expect(settings.receivingKey == key)
        // The description says where we are, as FFmpeg's do; it sends from wherever it likes.
        settings.address = nil
        let end = try PeerEnd(settings, over: socket)
        _ = try await peer.finished()
        let count = Self.frameCount
        let isComplete = try await end.eventually { $0.count >= count - 1 }
        let statistics = end.participant.statistics
        await end.call.end()
        #expect(isComplete, "\(end.recorder.count) frames; \(statistics)")
        #expect(statistics.unprotected?.refused == 0 && (statistics.unprotected?.rtcpPackets ?? 0) > 0)
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg opens our stream as our description says`() async throws {
        let key = SRTPKey.generate(.aesCM128Tag80)
        let (port, path) = (try PeerEnd.freePort(), folder.path("got.ivf"))
        let sent = SentFrames()
        let address = UDPAddress(.loopback, port: port)
        let end = try PeerEnd(key, at: address, frames: Self.frameCount, sent: sent, isHeld: true)
        let text = try end.participant.description(of: [.high], at: address).text
        let file = folder.path("rill.sdp")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let peer = try Peer.ffmpeg.start(
            [
                "-nostdin", "-v", "error", "-protocol_whitelist", "file,udp,rtp,srtp", "-i", file, "-c", "copy",
                "-frames:v",
                "\(Self.frameCount - 5)", "-y", path,
            ], limit: 60)
        try await RunningPeer.waitUntilListening(port: port)
        end.release()
        _ = try await peer.finished()
        await end.call.end()
        let frames = try IVFFrames.read(path)
        // FFmpeg looks at the first packets before it copies; then each frame is as it was sent.
        #expect(frames.count >= Self.frameCount - 10, "\(frames.count) frames")
        let ours = sent.frames
        let first = try #require(frames.first)
        let start = try #require(ours.firstIndex(of: first))
        #expect(Array(ours[start..<min(ours.count, start + frames.count)]) == frames)
    }
}
