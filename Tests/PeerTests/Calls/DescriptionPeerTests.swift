import RillCore
import RillMediaSupport
import RillRTP
import RillSend
import RillTestSupport
import Testing

@testable import Rill

/// Our stream over UDP, as our session description says, in other people's players.
@Suite(.serialized) struct DescriptionPeerTests {
    let folder = TemporaryFolder()

    /// The description of a clip's stream to a port of this machine.
    private func description(port: UInt16, codec: VideoCodec = .vp8) -> SessionDescription {
        let feedback: [RTCPFeedback] = [.nack, .pictureLossIndication, .fullIntraRequest]
        let format: RTPFormat =
            switch codec {
            case .vp8: .vp8(CodedClip.payloadType, feedback: feedback)
            default: .vp9(CodedClip.payloadType, feedback: feedback)
            }
        var video = MediaDescription(
            .video, port: port, formats: [format, .rtx(PayloadType(97), for: CodedClip.payloadType)])
        video.isRTCPMultiplexed = true
        video.mid = "0"
        video.direction = .sendOnly
        video.headerExtensions = [HeaderExtensionMapping(id: 3, .absoluteSendTime)]
        video.rids = [RestrictionIdentifier("hi", .send, payloadTypes: [CodedClip.payloadType])]
        video.simulcast = Simulcast(send: [["hi"]])
        video.sources = [SourceAttribute(CodedClip.ssrc, SessionDescription.Attribute("cname", "rill@localhost"))]
        return SessionDescription(name: "Rill", connection: ConnectionAddress("127.0.0.1"), media: [video])
    }

    /// A port that is free, and the one behind it, which players take for RTCP.
    private func freePort() throws -> UInt16 {
        for _ in 0..<100 {
            let socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 0))
            let port = socket.localAddress.port & ~1
            guard port > 0, (try? UDPSocket(boundTo: UDPAddress(.v4(0), port: port | 1))) != nil else { continue }
            return port
        }
        throw TestFailure("no two ports are free")
    }

    /// Sends the packets of frames, 10 ms a frame, and says goodbye.
    private func send(_ frames: [[[UInt8]]], to port: UInt16) throws {
        let socket = try ConnectedUDPSocket(to: UDPAddress(.loopback, port: port))
        let clock = LiveClock()
        for (index, packets) in frames.enumerated() {
            clock.sleep(until: .zero + .milliseconds(10 * index))
            for packet in packets { try socket.send(packet.span) }
        }
        // An empty report, and BYE of the stream.
        let compound: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0xCA, 0xFE, 0x81, 203, 0, 1, 0, 0, 0xCA, 0xFE]
        for _ in 0..<3 {
            clock.sleep(until: clock.now + .milliseconds(200))
            try socket.send(compound.span)
        }
    }

    /// Checksums of the pictures, from FFmpeg's `framemd5`.
    private func checksums(_ text: [UInt8]) -> [Substring] {
        String(decoding: text, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: " ").last }
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg plays our stream as it plays the clip`() throws {
        let clip = try CodedClip()
        let port = try freePort()
        try write([UInt8](description(port: port).text.utf8), to: folder.path("x.sdp"))
        let player = try Peer.ffmpeg.start(
            [
                "-v", "error", "-protocol_whitelist", "file,udp,rtp", "-i", folder.path("x.sdp"), "-fps_mode",
                "passthrough", "-frames:v", "\(clip.frames.count)", "-f", "framemd5", "-",
            ], limit: 60)
        try RunningPeer.waitUntilListening(port: port)
        try send(clip.packets, to: port)
        let played = checksums(try player.finish())
        let expected = checksums(
            try Peer.ffmpeg.run("-v", "error", "-i", clip.path, "-fps_mode", "passthrough", "-f", "framemd5", "-"))
        #expect(expected.count == clip.frames.count)
        #expect(played == expected)
    }

    @Test(
        .enabled(if: Peer.ffmpeg.isInstalled && Peer.vpxenc.isInstalled, "ffmpeg or vpxenc is not installed"))
    func `FFmpeg plays our VP9 as it plays the clip, but for the last frame`() throws {
        let clip = try vp9Clip()
        // FFmpeg 5.1 gives a VP9 frame out when the next one begins, so it never gives out the last.
        let playedCount = clip.frames.count - 1
        let port = try freePort()
        try write([UInt8](description(port: port, codec: .vp9).text.utf8), to: folder.path("x.sdp"))
        let player = try Peer.ffmpeg.start(
            [
                "-v", "error", "-protocol_whitelist", "file,udp,rtp", "-i", folder.path("x.sdp"), "-fps_mode",
                "passthrough", "-frames:v", "\(playedCount)", "-f", "framemd5", "-",
            ], limit: 60)
        try RunningPeer.waitUntilListening(port: port)
        try send(try sent(clip), to: port)
        let played = checksums(try player.finish())
        let expected = checksums(
            try Peer.ffmpeg.run("-v", "error", "-i", clip.path, "-fps_mode", "passthrough", "-f", "framemd5", "-"))
        #expect(expected.count == clip.frames.count)
        #expect(played == expected.dropLast())
    }

    /// The clip's frames as our sender packs them, in non-flexible mode: FFmpeg 5.1 follows an early draft of the
    /// payload format, which has no P_DIFF.
    private func sent(_ clip: CodedClip) throws -> [[[UInt8]]] {
        var settings = RTPStreamSettings(
            ssrc: CodedClip.ssrc, payloadType: CodedClip.payloadType, canonicalName: "rill@localhost")
        settings.referenceSignaling = .nonFlexible
        settings.firstSequenceNumber = SequenceNumber(65530)
        var sender = try RTPStreamSender(settings)
        return clip.frames.indices.map { index in
            let frame = clip.frames[index]
            let isKey = index == 0
            var packets: [[UInt8]] = []
            let sink = PacketTap { packet, _ in packets.append(packet.array) }
            sender.send(
                EncodedFrame(
                    codec: .vp9, layer: StreamLayer(rid: .high), number: Int64(index),
                    references: isKey ? FrameReferences() : FrameReferences(Int64(index - 1)), isKey: isKey,
                    resolution: Resolution(width: 176, height: 144), captureTime: .zero + .milliseconds(33 * index),
                    byteCount: frame.count),
                payload: frame.span, at: .zero, to: sink)
            return packets
        }
    }

    /// A second of VP9 in one spatial layer, by vpxenc, with no frame that is not shown.
    private func vp9Clip() throws -> CodedClip {
        let (source, path) = (folder.path("source.y4m"), folder.path("clip.ivf"))
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=176x144:rate=30", "-frames:v", "30", "-pix_fmt",
            "yuv420p", source)
        try Peer.vpxenc.run(
            "--codec=vp9", "--ivf", "--rt", "--cpu-used=5", "--lag-in-frames=0", "--target-bitrate=400", "-o", path,
            source)
        return try CodedClip(path: path)
    }

    @Test(
        .enabled(
            if: Peer.gstreamer.isInstalled && Peer.ffmpeg.isInstalled, "gst-launch-1.0 or ffmpeg is not installed"))
    func `GStreamer plays our stream as FFmpeg plays the clip`() throws {
        let clip = try CodedClip()
        let port = try freePort()
        try write([UInt8](description(port: port).text.utf8), to: folder.path("x.sdp"))
        let player = try Peer.gstreamer.start(
            [
                "-q", "filesrc", "location=\(folder.path("x.sdp"))", "!", "sdpdemux", "!", "rtpvp8depay", "!", "vp8dec",
                "!", "filesink", "location=\(folder.path("played.yuv"))",
            ], limit: 60)
        try RunningPeer.waitUntilListening(port: port)
        try send(clip.packets, to: port)
        _ = try player.finish()
        let expected = try Peer.ffmpeg.run("-v", "error", "-i", clip.path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
        #expect(!expected.isEmpty)
        let isEqual = try read(folder.path("played.yuv")) == expected
        #expect(isEqual)
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg's own description is read, and its stream inspected`() throws {
        let far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let clip = try CodedClip()
        try Peer.ffmpeg.run(
            "-v", "error", "-i", clip.path, "-c", "copy", "-f", "rtp", "-ssrc", "1234", "-sdp_file",
            folder.path("theirs.sdp"), "rtp://\(far.localAddress)?rtcpport=\(far.localAddress.port)")
        let bytes = try read(folder.path("theirs.sdp"))
        let session = try SessionDescription(parsing: bytes.span)
        let video = try #require(session.media.first)
        #expect(video.port == far.localAddress.port && session.connection?.host == "127.0.0.1")
        #expect(video[PayloadType(96)]?.isNamed("vp8") == true && video[PayloadType(96)]?.encoding?.clockRate == 90000)
        #expect(try SessionDescription(session.text) == session)
    }
}
