import RillCore
import RillRTP
import RillTestSupport
import Testing

@testable import Rill

/// GStreamer sends and protects, we lose packets of it and ask: what comes again, and what its FEC packets bring.
@Suite(
    .serialized, .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"))
struct RepairPeerTests {
    private static let frameCount = 60
    private static let ssrc = SSRC(1234)
    private static let rtxSSRC = SSRC(5678)
    private let media = PayloadType(96)
    private let rtx = PayloadType(97)
    private let red = PayloadType(100)
    private let fec = PayloadType(101)

    /// Two seconds of VP8 to `port`, live; its RTP session listens at `feedbackPort`.
    private func pipeline(_ protection: String, port: UInt16, feedbackPort: UInt16) -> [String] {
        let source =
            "rtpsession name=s rtp-profile=avpf "
            + "videotestsrc is-live=true pattern=ball num-buffers=\(Self.frameCount) "
            + "! video/x-raw,format=I420,width=160,height=120,framerate=30/1 "
            + "! vp8enc deadline=1 cpu-used=8 target-bitrate=600000 keyframe-max-dist=1000 min-quantizer=2 "
            + "! rtpvp8pay pt=96 ssrc=\(Self.ssrc.rawValue) picture-id-mode=2 mtu=300 seqnum-offset=65500 "
            + "! \(protection) ! s.send_rtp_sink s.send_rtp_src "
            + "! udpsink host=127.0.0.1 port=\(port) sync=false async=false "
            + "s.send_rtcp_src ! udpsink host=127.0.0.1 port=\(port) sync=false async=false "
            + "udpsrc address=127.0.0.1 port=\(feedbackPort) caps=application/x-rtcp ! s.recv_rtcp_sink"
        return source.split(separator: " ").map(String.init)
    }

    private func freePort() throws -> UInt16 {
        try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)).localAddress.port
    }

    /// Receives what GStreamer sends, without the media packets that `isLost` names by their place in their frame.
    ///
    /// Its FEC packets take the marker over from the frame's last packet: where the last of them is lost, it is unknown
    /// that the frame is whole.
    private func receive(
        _ protection: String, _ change: (inout ReceiveSettings) -> Void,
        losing isLost: (_ frame: Int, _ place: Int) -> Bool
    ) throws -> (statistics: ReceiveStatistics, lost: Int) {
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let peer = UDPAddress(.loopback, port: try freePort())
        var buffer = JitterBufferSettings(ssrc: Self.ssrc, payloadType: media)
        // The machine may be busy, and what is late must still be shown.
        buffer.playoutDelay = .fixed(.milliseconds(1000))
        var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(99))
        change(&settings)
        // A datagram that cannot be sent is lost, as others are.
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { packet, _ in try? socket.send(packet, to: peer) })
        try receiver.add(settings, sink: FrameTap { _ in })
        let player = try Peer.gstreamer.start(
            ["-q"] + pipeline(protection, port: socket.localAddress.port, feedbackPort: peer.port), limit: 60)

        var (frame, place, lost) = (-1, 0, 0)
        var timestamp: RTPTimestamp?
        var bytes: [UInt8] = []
        let end = receiver.clock.now + .seconds(20)
        func isComplete() -> Bool {
            (receiver.statistics(of: Self.ssrc)?.framesShown ?? 0) >= Self.frameCount || receiver.clock.now > end
        }
        while !isComplete() {
            guard try socket.receive(into: &bytes, within: .milliseconds(100)) != nil else { continue }
            if PacketKind(of: bytes.span) == .rtp, case let packet = try RTPPacket(parsing: bytes.span),
                packet.header.ssrc == Self.ssrc
            {
                let isNext = packet.header.timestamp != timestamp
                (frame, place) = isNext ? (frame + 1, 0) : (frame, place + 1)
                timestamp = packet.header.timestamp
                let isFEC = [packet.header.payloadType.rawValue, packet.payload[0]].contains(fec.rawValue)
                if !isFEC, isLost(frame, place) {
                    lost += 1
                    continue
                }
            }
            receiver.insert(bytes.span)
        }
        let statistics = try #require(try receiver.remove(Self.ssrc))
        try receiver.stop()
        // It does not end by itself as long as it is told of receivers.
        withExtendedLifetime(player) {}
        return (statistics, lost)
    }

    @Test func `It retransmits the packets that we NACK`() throws {
        let map = "payload-type-map=application/x-rtp-pt-map,96=(uint)97"
        let sources = "ssrc-map=application/x-rtp-ssrc-map,\(Self.ssrc.rawValue)=(uint)\(Self.rtxSSRC.rawValue)"
        let (statistics, lost) = try receive("rtprtxsend \(map) \(sources)") { settings in
            settings.repair.retransmission = .init(ssrc: Self.rtxSSRC, payloadType: rtx)
        } losing: { frame, place in
            // Before the first packet the stream is unknown, and after its last frame nothing is retransmitted.
            (1..<Self.frameCount - 15).contains(frame) && place == frame % 3
        }
        #expect(lost > 15)
        #expect(
            statistics.framesShown == Self.frameCount && statistics.stream.pliCount == 0,
            "\(lost) lost: \(statistics.framesShown) shown, \(statistics.stream), \(statistics.repair)")
        #expect(statistics.repair.retransmittedPacketsReceived >= lost && statistics.repair.malformedPackets == 0)
        #expect(statistics.decoder.framesCorrupted == 0)
    }

    @Test(arguments: [true, false])
    func `Its FEC packets restore lost packets`(isInRED: Bool) throws {
        let wrap = isInRED ? " ! rtpredenc pt=100" : ""
        let (statistics, lost) = try receive("rtpulpfecenc pt=101 percentage=100 multipacket=false\(wrap)") {
            settings in
            settings.jitterBuffer.nack = nil
            settings.repair.fecPayloadType = fec
            settings.repair.redPayloadType = isInRED ? red : nil
        } losing: { frame, place in
            place == frame % 3
        }
        #expect(lost > 15)
        #expect(
            statistics.framesShown == Self.frameCount && statistics.stream.pliCount == 0,
            "\(lost) lost: \(statistics.framesShown) shown, \(statistics.stream), \(statistics.repair)")
        #expect(statistics.repair.packetsRecovered == lost)
        #expect(statistics.repair.malformedPackets == 0 && statistics.decoder.framesCorrupted == 0)
    }
}
