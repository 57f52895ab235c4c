import RillCore
import RillRTP
import RillReceive
import RillSession
import RillTestSupport
import RillThreads
import RillTransport
import Testing

/// Other people's streams, in a session that is made of their session description alone.
@Suite(.serialized) struct SessionPeerTests {
    let folder = TemporaryFolder()

    /// What came of a stream.
    private struct Reception {
        var frames = 0
        var keyFrames = 0
        var resolutions: [Resolution] = []
        var isConnected = false
        /// A sender report told how its clock stands to the wall.
        var hasClock = false
        var reports = 0
        var statistics: InboundStatistics?
    }

    /// Receives what a peer sends until a second of silence: FFmpeg 5.1 and GStreamer say no goodbye.
    private func receive(_ text: () throws -> String, on socket: UDPSocket, drops: (Int) -> Bool = { _ in false })
        throws
        -> Reception
    {
        let clock = LiveClock()
        let session = RTPSession(RTPSessionSettings(seed: 7))
        var stream: ReceivingStreamID?
        var reception = Reception()
        var (bytes, datagram): ([UInt8], [UInt8]) = ([], [])
        var (silence, count) = (0, 0)
        let deadline = clock.now + .seconds(60)
        while clock.now < deadline, silence < (reception.frames > 0 ? 100 : 6000) {
            if try socket.receive(into: &datagram, within: .milliseconds(10)) != nil {
                silence = 0
                if stream == nil {
                    // The description is there once the first packet is.
                    let described = try SessionDescription(parsing: [UInt8](try text().utf8).span).streams(.send)
                    #expect(described.count == 1)
                    stream = try session.receive(
                        StreamReceiverSettings(try #require(described.first), ssrc: SSRC(0)), at: clock.now)
                }
                count += 1
                if !drops(count) { session.insert(datagram.span, at: clock.now) }
            } else {
                silence += 1
            }
            polling: while true {
                switch session.poll(at: clock.now, into: &bytes) {
                case .decode(let id):
                    let frame = session.releasedFrame
                    #expect(bytes.count == frame.frame.byteCount)
                    reception.frames += 1
                    if frame.frame.isKey { reception.keyFrames += 1 }
                    let now = clock.now
                    session.finish(
                        frame, of: id, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
                case .event(.connected): reception.isConnected = true
                case .event(.firstPicture(_, let size, _)), .event(.sizeChanged(_, let size)):
                    reception.resolutions.append(size)
                case .transmit: reception.reports += 1
                case .event, .makeKeyFrame, .payload: break
                case .wait: break polling
                }
            }
        }
        reception.statistics = stream.flatMap { session.statistics(of: $0) }
        reception.hasClock = stream.flatMap { session.senderClock(of: $0) } != nil
        return reception
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: ["libvpx", "libvpx-vp9"])
    func `FFmpeg's stream is received according to its own description`(encoder: String) throws {
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let (port, path) = (socket.localAddress.port, folder.path("\(encoder).sdp"))
        let peer = try Peer.ffmpeg.start(
            [
                "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=30", "-frames:v", "60", "-c:v",
                encoder,
                "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k", "-g", "30", "-strict", "experimental", "-f",
                "rtp", "-sdp_file", path, "rtp://127.0.0.1:\(port)?rtcpport=\(port)",
            ], limit: 60)
        let reception = try receive({ String(decoding: try read(path), as: UTF8.self) }, on: socket)
        _ = try peer.finish()
        #expect(reception.isConnected && reception.resolutions == [Resolution(width: 320, height: 240)])
        #expect(reception.frames >= 59 && reception.keyFrames == 2, "\(reception)")
        #expect(reception.hasClock && reception.reports > 0, "\(reception)")
        #expect(reception.statistics?.packetsLost == 0)
    }

    @Test(.enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"), arguments: [false, true])
    func `GStreamer's stream is received as a description for it says`(losesPackets: Bool) throws {
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let port = socket.localAddress.port
        let peer = try Peer.gstreamer.start(
            [
                "-q", "videotestsrc", "num-buffers=90", "is-live=true", "!",
                "video/x-raw,width=320,height=240,framerate=30/1", "!", "vp8enc", "deadline=1", "keyframe-max-dist=30",
                "!",
                "rtpvp8pay", "pt=96", "picture-id-mode=15-bit", "!", "udpsink", "host=127.0.0.1", "port=\(port)",
            ], limit: 60)
        let text = """
            v=0
            o=- 1188340656180883 1 IN IP4 127.0.0.1
            s=Session streamed by GStreamer
            t=0 0
            m=video \(port) RTP/AVPF 96
            c=IN IP4 127.0.0.1
            a=rtpmap:96 VP8/90000
            a=rtcp-fb:96 nack
            a=framerate:30
            """
        // Without repair, frames are shown again after a loss with the next key frame.
        let reception = try receive({ text }, on: socket) { losesPackets && $0 % 97 == 40 }
        _ = try peer.finish()
        #expect(reception.isConnected && reception.resolutions == [Resolution(width: 320, height: 240)])
        #expect(losesPackets ? (20..<90).contains(reception.frames) : reception.frames == 90, "\(reception)")
        #expect(reception.keyFrames >= (losesPackets ? 2 : 3), "\(reception)")
        #expect(((reception.statistics?.packetsLost ?? 0) > 0) == losesPackets)
    }
}
