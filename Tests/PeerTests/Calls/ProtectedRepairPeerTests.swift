import Foundation
import Rill
import RillCodec
import RillCore
import RillRTP
import RillSecurity
import RillSend
import RillTestSupport
import RillTransport
import Testing

/// GStreamer's RTX and ULPFEC under SRTP in a `VideoCall`, over a network that loses 5 % of all datagrams in each
/// direction: retransmissions, FEC packets and requests too.
///
/// What was lost is what the network says. What was recovered is judged by its bytes, wherever they can be had.
@Suite(
    .enabled(
        if: Peer.gstreamer.isInstalled && Peer.python.isInstalled, "gst-launch-1.0 or python3-gi is not installed"))
struct ProtectedRepairPeerTests {
    let folder = TemporaryFolder()
    private static let seconds = isLongRun ? 10 : 4
    private static let profiles: [SRTPProfile] = [.aeadAES128GCM, .aesCM128Tag80]

    // MARK: GStreamer sends

    private static func theirs(_ feedback: StreamDescription.Feedback, _ repair: RepairSettings) -> StreamDescription {
        var stream = StreamDescription(MediaOnTheWire.media, RTPFormat.Encoding("VP8"))
        (stream.feedback, stream.repair) = (feedback, repair)
        return stream
    }

    /// What came of a stream of GStreamer's.
    private struct Reception {
        var sent: MediaOnTheWire
        /// The frames that came to the decoder.
        var frames: [[UInt8]]
        var statistics: CallStatistics.Participant
        var peer: String
        var received: ReceiveStatistics? { statistics.shown.first?.received }
    }

    /// Receives what GStreamer sends through those elements.
    private func receive(
        _ protection: String, _ stream: StreamDescription, under profile: SRTPProfile
    ) async throws -> Reception {
        let key = SRTPKey.generate(profile)
        let transport = try network()
        // Where they are their first packet says.
        var settings = ParticipantSettings("peer", at: nil, key: key)
        settings.streams = [stream]
        let end = try PeerEnd(settings, over: transport)
        let peer = try start("send", end.port, key, "\(Self.seconds * 30)", protection)
        let said = String(decoding: try await peer.finished(), as: UTF8.self)
        let statistics = end.participant.statistics
        await end.call.end()
        return Reception(
            sent: try MediaOnTheWire(transport.passages, isIncoming: true, key: key), frames: end.recorder.frames,
            statistics: statistics, peer: said)
    }

    @Test(arguments: profiles)
    func `It retransmits the packets that we NACK`(profile: SRTPProfile) async throws {
        var repair = RepairSettings()
        repair.retransmission = .init(ssrc: nil, payloadType: MediaOnTheWire.rtx)
        var got = try await receive(
            "rtprtxsend name=again max-size-packets=0 max-size-time=2000 "
                + "payload-type-map=application/x-rtp-pt-map,96=(uint)97",
            Self.theirs([.nack, .pictureLossIndication], repair), under: profile)
        let sent = Set(got.sent.frames.values)
        try got.sent.ignoreEnd()
        // A frame is whole when all of its packets are there.
        let whole = Set(got.frames)
        let recovered = got.sent.lost.count { packet in got.sent.frames[packet.timestamp].map(whole.contains) ?? false }
        let figures = figures("RTX of GStreamer's, \(profile)", got.sent, recovered, got.peer, got.received)
        #expect(got.sent.lost.count >= Self.seconds * 5, "\(figures)")
        #expect(recovered * 100 >= got.sent.lost.count * 90, "\(figures)")
        let isUnchanged = whole.isSubset(of: sent)
        #expect(isUnchanged, "frames are as they were sent")
    }

    @Test(arguments: [(SRTPProfile.aeadAES128GCM, true), (.aesCM128Tag80, false)])
    func `Its FEC packets restore lost packets`(profile: SRTPProfile, isInRED: Bool) async throws {
        var repair = RepairSettings()
        repair.fecPayloadType = MediaOnTheWire.fec
        repair.redPayloadType = isInRED ? MediaOnTheWire.red : nil
        let got = try await receive(
            "rtpulpfecenc pt=101 percentage=50" + (isInRED ? " ! rtpredenc pt=100" : ""),
            // Nothing is retransmitted.
            Self.theirs(.pictureLossIndication, repair), under: profile)
        let recovered = try #require(got.received).repair.packetsRecovered
        let figures = figures("ULPFEC of GStreamer's, \(profile)", got.sent, recovered, got.peer, got.received)
        #expect(got.sent.lost.count >= Self.seconds * 5, "\(figures)")
        #expect(recovered * 100 >= got.sent.lost.count * 60, "\(figures)")
        #expect(recovered <= got.sent.lost.count, "\(figures)")
        #expect(got.received?.stream.nackCount == 0, "\(figures)")
        let isUnchanged = Set(got.frames).isSubset(of: got.sent.frames.values)
        #expect(isUnchanged, "frames are as they were sent")
    }

    // MARK: We send

    /// What came of our stream.
    private struct Delivery {
        var sent: MediaOnTheWire
        /// The payloads of the packets that GStreamer hands on.
        var payloads: Set<[UInt8]>
        var statistics: CallStatistics.Participant
        var peer: String

        /// Those packets that were lost and were handed on all the same.
        var recovered: Int { sent.lost.count { payloads.contains($0.payload) } }
        var stream: RTPStreamStatistics? { statistics.session.sending.first?.stream }
        /// Whether nothing else was handed on than what was sent.
        var isUnchanged: Bool { payloads.isSubset(of: sent.packets.map(\.payload)) }
    }

    /// Sends to GStreamer, which receives as `mode` of the script says.
    private func send(
        _ mode: String, _ payloadTypes: (PayloadType, PayloadType), under profile: SRTPProfile,
        _ adjust: (inout VideoCallSettings) -> Void
    ) async throws -> Delivery {
        let key = SRTPKey.generate(profile)
        let (transport, port) = (try network(), try PeerEnd.freePort())
        let (path, sent) = (folder.path("got"), SentFrames())
        let end = try PeerEnd(
            ParticipantSettings("peer", at: UDPAddress(.loopback, port: port), key: key), over: transport,
            frames: Self.seconds * 30, sent: sent, isHeld: true
        ) { settings in
            settings.send.layers[0].bitrate = .kilobits(800)
            settings.send.maximumPacketSize = 400
            // So many packets that enough are lost.
            settings.send.congestion = nil
            adjust(&settings)
        }
        let peer = try start(
            mode, end.port, key, "\(port)", path, "\(payloadTypes.0.rawValue)", "\(payloadTypes.1.rawValue)")
        try await RunningPeer.waitUntilListening(port: port)
        end.release()
        // Requests are answered for a second after the last frame: as long as its jitter buffer holds anything.
        try await sent.steady()
        let statistics = end.participant.statistics
        await end.call.end()
        let said = String(decoding: try await peer.finished(), as: UTF8.self)
        var payloads: Set<[UInt8]> = []
        for bytes in try PacketFile.packets(in: path) {
            let packet = try RTPPacket(parsing: bytes.span)
            if packet.header.payloadType == MediaOnTheWire.media { payloads.insert(packet.payload.array) }
        }
        return Delivery(
            sent: try MediaOnTheWire(transport.passages, isIncoming: false, key: key), payloads: payloads,
            statistics: statistics, peer: said)
    }

    @Test(arguments: profiles)
    func `It receives the packets that it NACKs`(profile: SRTPProfile) async throws {
        var got = try await send("rtx", (MediaOnTheWire.media, MediaOnTheWire.rtx), under: profile) { settings in
            settings.send.retransmissionPayloadType = MediaOnTheWire.rtx
        }
        try got.sent.ignoreEnd()
        judge(got, atLeast: 90, "RTX of ours, \(profile)")
    }

    @Test(arguments: profiles)
    func `Our FEC packets restore its lost packets`(profile: SRTPProfile) async throws {
        let got = try await send("fec", (MediaOnTheWire.red, MediaOnTheWire.fec), under: profile) { settings in
            settings.send.fec = FECSettings(
                percentage: .percent(50), payloadType: MediaOnTheWire.fec, redPayloadType: MediaOnTheWire.red)
            // Its rtpreddec drops header extensions, which FEC packets protect: what it restores with them is wrong.
            settings.send.headerExtensions = HeaderExtensionMap()
        }
        judge(got, atLeast: 60, "ULPFEC of ours, \(profile)")
        #expect(got.stream?.retransmittedPacketsSent == 0)
    }

    /// Enough was lost, so many percent of it were recovered, and nothing else came.
    private func judge(_ got: Delivery, atLeast percent: Int, _ name: String) {
        let (lost, recovered, isUnchanged) = (got.sent.lost.count, got.recovered, got.isUnchanged)
        let figures = figures(name, got.sent, recovered, got.peer, got.stream)
        #expect(lost >= Self.seconds * 5, "\(figures)")
        #expect(recovered * 100 >= lost * percent, "\(figures)")
        #expect(isUnchanged, "packets are as they were sent")
    }

    // MARK: The network and the peer

    private func network() throws -> LossyTransport {
        LossyTransport(
            try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), loss: 0.05, incomingLoss: 0.05, seed: 26,
            keepsPassages: true)
    }

    private func start(
        _ mode: String, _ port: UInt16, _ key: SRTPKey, _ rest: String...
    ) throws -> RunningPeer {
        let script = folder.path("call.py")
        try write([UInt8](GStreamerScript.call.utf8), to: script)
        let (cipher, auth) = key.profile.nameInGStreamer
        // RTCP has the long tag under every profile that has one.
        let rtcpAuth = auth == "null" ? auth : "hmac-sha1-80"
        return try Peer.python.start(
            [script, mode, "\(port)", key.digits, cipher, auth, rtcpAuth] + rest, limit: 60)
    }

    /// What was measured, in words.
    private func figures(
        _ name: String, _ sent: MediaOnTheWire, _ recovered: Int, _ peer: String, _ ours: Any?
    ) -> String {
        let (all, lost) = (sent.packets.count, sent.lost.count)
        let share = String(format: "%.1f %%", 100 * Double(recovered) / Double(max(1, lost)))
        let text = "\(name): \(lost) of \(all) packets lost, \(recovered) recovered: \(share)"
        note(text)
        return "\(text)\n\(peer)\(ours.map { "\($0)" } ?? "")"
    }
}
