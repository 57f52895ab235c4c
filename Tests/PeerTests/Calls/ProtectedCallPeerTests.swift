import Foundation
import Rill
import RillCore
import RillMediaSupport
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

    /// How GStreamer names a profile.
    private static func cipher(_ profile: SRTPProfile) -> (cipher: String, auth: String) {
        switch profile {
        case .aeadAES128GCM: ("aes-128-gcm", "null")
        case .aeadAES256GCM: ("aes-256-gcm", "null")
        case .aesCM128Tag80: ("aes-128-icm", "hmac-sha1-80")
        case .aesCM128Tag32: ("aes-128-icm", "hmac-sha1-32")
        }
    }

    private static func digits(_ key: SRTPKey) -> String {
        key.withKeyAndSalt { bytes in bytes.indices.map { String(format: "%02X", bytes[$0]) }.joined() }
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: [SRTPProfile.aeadAES128GCM, .aeadAES256GCM, .aesCM128Tag80])
    func `GStreamer's protected stream is shown whole`(profile: SRTPProfile) async throws {
        let key = SRTPKey.generate(profile)
        let end = try PeerEnd(key)
        let (cipher, auth) = Self.cipher(profile)
        let path = folder.path("sent.bin")
        let peer = try Peer.gstreamer.start(
            [
                "-q", "videotestsrc", "num-buffers=\(Self.frameCount)", "is-live=true", "!",
                "video/x-raw,width=320,height=240,framerate=30/1", "!", "vp8enc", "deadline=1", "keyframe-max-dist=30",
                "!", "tee", "name=t", "!", "queue", "!", "rtpvp8pay", "pt=96", "picture-id-mode=15-bit", "!", "srtpenc",
                "key=\(Self.digits(key))", "rtp-cipher=\(cipher)", "rtp-auth=\(auth)", "rtcp-cipher=\(cipher)",
                "rtcp-auth=\(profile == .aesCM128Tag80 ? "hmac-sha1-80" : "null")", "!", "udpsink", "host=127.0.0.1",
                "port=\(end.port)", "t.", "!", "queue", "!", "filesink", "location=\(path)",
            ], limit: 60)
        _ = try await peer.finished()
        let count = Self.frameCount
        let isWhole = try await end.eventually { $0.frames == count }
        let statistics = end.participant.statistics
        await end.call.end()
        #expect(isWhole, "\(end.recorder.frames) frames; \(statistics)")
        #expect(try end.recorder.bytes == read(path), "the bytes of all frames")
        #expect(statistics.unprotected?.refused == 0)
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: [SRTPProfile.aeadAES128GCM, .aeadAES256GCM, .aesCM128Tag80])
    func `GStreamer opens our stream whole`(profile: SRTPProfile) async throws {
        let key = SRTPKey.generate(profile)
        let (cipher, auth) = Self.cipher(profile)
        let (path, port) = (folder.path("got.bin"), try freePort())
        let sent = SentBytes()
        let end = try PeerEnd(
            key, at: UDPAddress(.loopback, port: port), frames: Self.frameCount + 1, sent: sent, isHeld: true)
        let source = try #require(end.participant.statistics.session.sending.first?.ssrc)
        let caps =
            "application/x-srtp,media=(string)video,clock-rate=(int)90000,encoding-name=(string)VP8,payload=(int)96,"
            + "ssrc=(uint)\(source.rawValue),srtp-key=(buffer)\(Self.digits(key)),srtp-cipher=(string)\(cipher),"
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
            ], limit: Self.frameCount / 30 + 8)
        try RunningPeer.waitUntilListening(port: port)
        end.release()
        try await sent.settled()
        // `identity` drops the one that it ends at.
        let expected = Array(sent.frames.prefix(Self.frameCount).joined())
        let got = try read(path)
        await end.call.end()
        // It ends behind the last frame; on a machine so busy that a frame was left out, it is stopped.
        _ = try? await peer.finished()
        #expect(sent.count > Self.frameCount / 2 && got == expected, "\(got.count) bytes of \(expected.count)")
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg's protected stream is shown as its own description says`() async throws {
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
        let isWhole = try await end.eventually { $0.frames >= count - 1 }
        let statistics = end.participant.statistics
        await end.call.end()
        #expect(isWhole, "\(end.recorder.frames) frames; \(statistics)")
        #expect(statistics.unprotected?.refused == 0 && (statistics.unprotected?.rtcpPackets ?? 0) > 0)
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg opens our stream as our description says`() async throws {
        let key = SRTPKey.generate(.aesCM128Tag80)
        let (port, path) = (try freePort(), folder.path("got.ivf"))
        let sent = SentBytes()
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
        try RunningPeer.waitUntilListening(port: port)
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

    /// A port of this machine that nobody has at present.
    private func freePort() throws -> UInt16 {
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        return socket.localAddress.port
    }
}

/// The end of a call that a peer is the other end of.
private final class PeerEnd {
    let call: VideoCall
    let participant: CallParticipant
    let recorder = FrameRecorder()
    let port: UInt16
    private let gate = HeldSource.Gate()

    init(
        _ settings: ParticipantSettings, over socket: UDPSocket, frames: Int = 0, sent: SentBytes? = nil,
        isHeld: Bool = false
    ) throws {
        var settings = settings
        if settings.streams == nil {
            var theirs = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
            theirs.feedback = [.nack, .pictureLossIndication]
            settings.streams = [theirs]
        }
        settings.layers = [.high]
        if !isHeld { gate.open() }
        let source = try HeldSource(LoopedPictures(Resolution(width: 320, height: 240), frameCount: frames), gate)
        let layers: [LayerSettings] = [.high(Resolution(width: 320, height: 240), bitrate: .kilobits(300))]
        call = try VideoCall(
            VideoCallSettings(layers: layers), source: frames > 0 ? source : nil, taps: SendTaps(encoded: sent))
        port = socket.localAddress.port
        participant = try call.add(settings, over: socket) { [recorder] them in
            try them.show(.high, on: FrameTap { _ in }) { $0.makeDecoder = { _ in recorder } }
        }
    }

    convenience init(
        _ key: SRTPKey, at address: UDPAddress? = nil, frames: Int = 0, sent: SentBytes? = nil, isHeld: Bool = false
    ) throws {
        try self.init(
            ParticipantSettings("peer", at: address, key: key),
            over: UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), frames: frames, sent: sent, isHeld: isHeld)
    }

    func release() { gate.open() }

    /// Waits ten seconds at the most.
    func eventually(_ isTrue: (FrameRecorder) -> Bool) async throws -> Bool {
        for _ in 0..<1000 {
            if isTrue(recorder) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

/// A source that gives nothing before its gate is opened.
private final class HeldSource: FrameSource {
    final class Gate: Sendable {
        private let isOpen = Monitor(false)
        func open() { isOpen.change { $0 = true } }
        func wait() { isOpen.wait { $0 ? () : nil } }
    }

    private let source: LoopedPictures
    private let gate: Gate

    init(_ source: LoopedPictures, _ gate: Gate) { (self.source, self.gate) = (source, gate) }

    var format: SourceFormat { source.format }

    func next() -> SourceOutput {
        gate.wait()
        return source.next()
    }
}

/// A decoder that keeps what it is given.
private final class FrameRecorder: VideoDecoder, Sendable {
    private let state = Monitor((frames: 0, bytes: [UInt8]()))
    var statistics: DecoderStatistics { DecoderStatistics() }
    var frames: Int { state.withLock { $0.frames } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    func decode(_ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool) -> DecoderOutcome {
        state.withLock { state in
            state.frames += 1
            state.bytes.append(copying: payload)
        }
        return .hidden
    }
}

/// What our encoder has made.
private final class SentBytes: EncodedFrameSink, Sendable {
    private let state = Monitor([[UInt8]]())
    var frames: [[UInt8]] { state.withLock { $0 } }
    var count: Int { frames.count }

    /// Waits until nothing more is made.
    func settled() async throws {
        var (last, quiet) = (0, 0)
        while quiet < 20 {
            try await Task.sleep(for: .milliseconds(50))
            quiet = count > 0 && count == last ? quiet + 1 : 0
            last = count
        }
    }
    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) { state.withLock { $0.append(payload.array) } }
    func finish() {}
}

/// The frames of an IVF file.
private enum IVFFrames {
    static func read(_ path: String) throws -> [[UInt8]] {
        let bytes = try RillTestSupport.read(path)
        var (frames, position): ([[UInt8]], Int) = ([], 32)
        while position + 12 <= bytes.count {
            let count = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
            guard position + 12 + count <= bytes.count else { break }
            frames.append(Array(bytes[(position + 12)..<(position + 12 + count)]))
            position += 12 + count
        }
        return frames
    }
}
