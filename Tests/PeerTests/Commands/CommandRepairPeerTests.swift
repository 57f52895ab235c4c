import Foundation
import Rill
import RillRTP
import RillReceive
import RillSecurity
import RillSend
import RillSession
import RillTestSupport
import Testing

/// `rill send` and `rill receive` with GStreamer over a network that loses 5 % of all datagrams in each direction: RTX
/// and ULPFEC under SRTP.
///
/// What was lost is what the network says, what was recovered is judged by its bytes and by what the commands print.
@Suite(
    .enabled(
        if: Peer.gstreamer.isInstalled && Peer.python.isInstalled, "gst-launch-1.0 or python3-gi is not installed"))
struct CommandRepairPeerTests {
    let folder = TemporaryFolder()
    private static let seconds = isLongRun ? 10 : 3
    private static let runs =
        [("rtx", "gcm-128"), ("fec", "cm-80")] + (isLongRun ? [("rtx", "cm-80"), ("fec", "gcm-256")] : [])
    private static let red = PayloadType(124)
    private static let fec = PayloadType(125)

    private func startPeer(_ mode: String, _ port: UInt16, _ key: SRTPKey, _ rest: String...) throws -> RunningPeer {
        let script = folder.path("call.py")
        try write([UInt8](GStreamerScript.call.utf8), to: script)
        let (cipher, auth) = key.profile.nameInGStreamer
        return try Peer.python.start(
            [script, mode, "\(port)", key.digits, cipher, auth, auth] + rest, limit: 60)
    }

    @Test(arguments: runs)
    func `What rill send sends is repaired`(mode: String, suite: String) async throws {
        let (file, key) = try await RillRun.key(suite, in: folder)
        let (port, path, isRTX) = (try PeerEnd.freePort(), folder.path("got"), mode == "rtx")
        let relay = try LossyRelay(to: port, loss: 0.05, seed: 26)
        defer { relay.stop() }
        let types = isRTX ? (MediaOnTheWire.media, MediaOnTheWire.rtx) : (Self.red, Self.fec)
        let peer = try startPeer(
            mode, relay.returnPort, key, "\(port)", path, "\(types.0.rawValue)", "\(types.1.rawValue)")
        try await RunningPeer.waitUntilListening(port: port)
        let sender = try RillRun.start(
            [
                "send", "--to", "127.0.0.1:\(relay.port)", "--size", "320x240", "--bitrate", "800k", "--packet-size",
                "300", "--key-file", file, "--duration", "\(Self.seconds + 1)s", "--json",
                // So many packets that enough are lost.
                "--congestion", "off",
            ] + (isRTX ? [] : ["--no-rtx", "--fec", "50%"]))
        let report = try RillRun.Report(try await sender.finished())
        let said = String(decoding: try await peer.finished(), as: UTF8.self)
        var payloads: Set<[UInt8]> = []
        for bytes in try PacketFile.packets(in: path) {
            let packet = try RTPPacket(parsing: bytes.span)
            if packet.header.payloadType == MediaOnTheWire.media { payloads.insert(packet.payload.array) }
        }
        var sent = try MediaOnTheWire(relay.passages, isIncoming: false, key: key, red: Self.red)
        if isRTX { try sent.ignoreEnd() }
        let stream = try #require(report.participant.session.sending.first).stream
        let isUnchanged = payloads.isSubset(of: sent.packets.map(\.payload))
        #expect(isUnchanged, "packets are as they were sent")
        judge(
            "\(mode), \(suite), sent", sent, sent.lost.count { payloads.contains($0.payload) },
            said: isRTX ? stream.retransmittedPacketsSent : nil, atLeast: isRTX ? 90 : 60, "\(stream)\n\(said)")
    }

    @Test(arguments: runs)
    func `What rill receive receives is repaired`(mode: String, suite: String) async throws {
        let (file, key) = try await RillRun.key(suite, in: folder)
        let (port, isRTX) = (try PeerEnd.freePort(), mode == "rtx")
        let relay = try LossyRelay(to: port, loss: 0.05, seed: 62)
        defer { relay.stop() }
        try write([UInt8](description(port, isRTX).utf8), to: folder.path("in.sdp"))
        let receiver = try RillRun.start(
            "receive", folder.path("in.sdp"), "--key-file", file, "--output", folder.path("got.ivf"), "--timeout", "2s",
            "--json")
        _ = try await receiver.said("listening on")
        let protection =
            isRTX
            ? "rtprtxsend name=again max-size-packets=0 max-size-time=2000 "
                + "payload-type-map=application/x-rtp-pt-map,96=(uint)97"
            : "rtpulpfecenc pt=\(Self.fec) percentage=50 ! rtpredenc pt=\(Self.red)"
        _ = try await startPeer("send", relay.port, key, "\(Self.seconds * 30)", protection).finished()
        let report = try RillRun.Report(try await receiver.finished())
        var sent = try MediaOnTheWire(relay.passages, isIncoming: false, key: key, red: Self.red)
        let all = Set(sent.frames.values)
        if isRTX { try sent.ignoreEnd() }
        // A frame is whole when all of its packets are there.
        let whole = Set(try IVFFrames.read(folder.path("got.ivf")))
        let isUnchanged = whole.isSubset(of: all)
        #expect(isUnchanged, "frames are as they were sent")
        let repair = report.received.repair
        let recovered = sent.lost.count { packet in sent.frames[packet.timestamp].map(whole.contains) ?? false }
        judge(
            "\(mode), \(suite), received", sent, isRTX ? recovered : repair.packetsRecovered,
            said: isRTX ? repair.retransmittedPacketsReceived : repair.packetsRecovered, atLeast: isRTX ? 90 : 60,
            "\(report.received)")
    }

    /// What GStreamer would say of its stream, without the key.
    private func description(_ port: UInt16, _ isRTX: Bool) -> String {
        let repair =
            isRTX
            ? "a=rtpmap:97 rtx/90000\na=fmtp:97 apt=96\na=rtcp-fb:96 nack"
            : "a=rtpmap:\(Self.red) red/90000\na=rtpmap:\(Self.fec) ulpfec/90000"
        return """
            v=0
            o=- 1188340656180883 1 IN IP4 127.0.0.1
            s=Session streamed by GStreamer
            t=0 0
            m=video \(port) RTP/SAVPF 96 \(isRTX ? "97" : "\(Self.red) \(Self.fec)")
            c=IN IP4 127.0.0.1
            a=rtcp-mux
            a=rtpmap:96 VP8/90000
            a=rtcp-fb:96 nack pli
            \(repair)
            """
    }

    /// Enough was lost, and so many percent of it were recovered, by the bytes that came; the command's own figures do
    /// not contradict.
    private func judge(
        _ name: String, _ sent: MediaOnTheWire, _ recovered: Int, said: Int?, atLeast percent: Int, _ details: String
    ) {
        let (all, lost) = (sent.packets.count, sent.lost.count)
        let share = String(format: "%.1f %%", 100 * Double(recovered) / Double(max(1, lost)))
        let figures =
            "\(name): \(lost) of \(all) packets lost, \(recovered) recovered: \(share); the command says "
            + (said.map { "\($0)" } ?? "nothing")
        note(figures)
        #expect(lost >= Self.seconds * 5, "\(figures)\n\(details)")
        #expect(recovered * 100 >= lost * percent, "\(figures)\n\(details)")
        if let said { #expect(said * 100 >= lost * percent, "\(figures)\n\(details)") }
    }
}
