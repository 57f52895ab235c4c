import RillCore
import RillRTP
import RillReceive
import RillTestSupport
import RillTransport
import Testing

@testable import Rill

/// GStreamer sends, we lose packets of it and ask: what comes again.
@Suite(
    .serialized, .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"))
struct RepairPeerTests {
    private static let frameCount = 60
    private static let ssrc = SSRC(1234)
    private static let rtxSSRC = SSRC(5678)
    private let media = PayloadType(96)
    private let rtx = PayloadType(97)

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
    private func receive(
        _ protection: String, _ change: (inout ReceiveSettings) -> Void,
        losing isLost: @escaping @Sendable (_ frame: Int, _ place: Int) -> Bool
    ) throws -> (statistics: ReceiveStatistics, lost: Int) {
        let (port, feedbackPort) = (try freePort(), try freePort())
        let peer = UDPAddress(.loopback, port: feedbackPort)
        let transport = LosingTransport(
            try UDPSocket(boundTo: UDPAddress(.loopback, port: port)), to: peer
        ) { [media = Self.ssrc] state, bytes in
            guard PacketKind(of: bytes) == .rtp, let packet = try? RTPPacket(parsing: bytes),
                packet.header.ssrc == media
            else { return false }
            let isNext = packet.header.timestamp != state.timestamp
            (state.frame, state.place) = isNext ? (state.frame + 1, 0) : (state.frame, state.place + 1)
            state.timestamp = packet.header.timestamp
            return isLost(state.frame, state.place)
        }
        let call = try VideoCall(source: nil)
        var stream = StreamDescription(media, RTPFormat.Encoding("VP8"))
        stream.ssrc = Self.ssrc
        var wanted = ReceiveSettings(
            jitterBuffer: JitterBufferSettings(ssrc: Self.ssrc, payloadType: media), ssrc: SSRC(99))
        change(&wanted)
        stream.repair = wanted.repair
        let nack = wanted.jitterBuffer.nack
        var them = ParticipantSettings("GStreamer", at: peer, key: nil)
        them.streams = [stream]
        let participant = try call.add(them, over: transport) { them in
            try them.show(.high, on: FrameTap { _ in }) { settings in
                // The machine may be busy, and what is late must still be shown.
                settings.jitterBuffer.playoutDelay = .fixed(.milliseconds(3000))
                settings.jitterBuffer.nack = nack
            }
        }
        let player = try Peer.gstreamer.start(
            ["-q"] + pipeline(protection, port: port, feedbackPort: feedbackPort), limit: 60)
        let end = call.clock.now + .seconds(40)
        func received() -> ReceiveStatistics? { participant.statistics.shown.first?.received }
        while (received()?.framesShown ?? 0) < Self.frameCount, call.clock.now < end { LiveClock.pause() }
        let statistics = try #require(received())
        call.endNow()
        // It does not end by itself as long as it is told of receivers.
        withExtendedLifetime(player) {}
        return (statistics, transport.lostCount)
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
}

/// A connected socket that loses what a test names.
private final class LosingTransport: DatagramTransport {
    private let socket: UDPSocket
    let remoteAddress: UDPAddress?
    private let isLost: @Sendable (inout Progress, Span<UInt8>) -> Bool
    private let progress = Monitor(Progress())

    /// Where in the stream a packet is.
    struct Progress {
        var (frame, place) = (-1, 0)
        var timestamp: RTPTimestamp?
        fileprivate var lostCount = 0
    }

    init(
        _ socket: UDPSocket, to peer: UDPAddress, _ isLost: @escaping @Sendable (inout Progress, Span<UInt8>) -> Bool
    ) {
        (self.socket, remoteAddress, self.isLost) = (socket, peer, isLost)
    }

    var lostCount: Int { progress.withLock { $0.lostCount } }
    var localAddress: UDPAddress { socket.localAddress }
    var statistics: TransportStatistics { socket.statistics }
    func close() { socket.close() }

    func send(_ datagrams: inout OutgoingDatagrams) -> RillTransport.SendOutcome {
        for index in 0..<datagrams.count {
            // A datagram that cannot be sent is lost, as others are.
            if let remoteAddress { try? socket.send(datagrams.bytes(at: index), to: remoteAddress) }
        }
        datagrams.removeAll()
        return .sent
    }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        let outcome = try socket.receive(into: &datagrams, within: timeout)
        guard case .received = outcome else { return outcome }
        // GStreamer sends from a port of its own, and reads another one.
        var kept: [[UInt8]] = []
        progress.withLock { progress in
            for index in datagrams.indices {
                let isLost = isLost(&progress, datagrams.bytes(at: index))
                if isLost { progress.lostCount += 1 } else { kept.append(datagrams.bytes(at: index).array) }
            }
        }
        datagrams.removeAll()
        for bytes in kept { _ = datagrams.append(copying: bytes.span, from: remoteAddress ?? localAddress) }
        return datagrams.count == 0 ? .nothing : .received(datagrams.count)
    }
}
