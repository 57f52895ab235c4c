import Foundation
import Rill
import RillRTP
import RillTestSupport
import Testing

/// `rill receive` from senders that have a port of its own for RTCP, as FFmpeg and GStreamer do: reports and BYE arrive
/// there, and feedback goes to the port that they come from.
@Suite struct TwoPortsPeerTests {
    let folder = TemporaryFolder()
    private static let frameCount = isLongRun ? 300 : 120

    private func receive(_ description: [String]) throws -> RunningProgram {
        try write(Array((description + [""]).joined(separator: "\r\n").utf8), to: folder.path("in.sdp"))
        return try RillRun.start([
            "receive", folder.path("in.sdp"), "--output", folder.path("got.ivf"), "--json",
        ])
    }

    private func description(_ port: UInt16, _ host: String = "127.0.0.1", _ more: [String] = []) -> [String] {
        let family = host.contains(":") ? "IP6" : "IP4"
        return [
            "v=0", "o=- 0 0 IN \(family) \(host)", "s=-", "c=IN \(family) \(host)", "t=0 0",
            "m=video \(port) RTP/AVPF 96", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli",
        ] + more
    }

    /// The report, and how long after the sender's end it was over.
    private func finish(_ receiver: RunningProgram) async throws -> (report: RillRun.Report, seconds: Double) {
        let start = ContinuousClock.now
        let outcome = try await receiver.finished()
        return (try RillRun.Report(outcome), (ContinuousClock.now - start).milliseconds / 1000)
    }

    private func reportCount(_ report: RillRun.Report) -> Int {
        report.participant.session.transport.packetsReceived - report.received.stream.packetsReceived
    }

    /// Two free ports, one behind the other, the first of them even or odd.
    private static func ports(isOdd: Bool = false) throws -> UInt16 {
        for _ in 0..<100 {
            let port = try PeerEnd.freePort()
            let isFree = port < 65_000 && (try? UDPSocket(boundTo: UDPAddress(.loopback, port: port + 1))) != nil
            if isFree, (port % 2 == 1) == isOdd { return port }
        }
        throw TestFailure("no two free ports")
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: [false, true])
    func `FFmpeg's sender reports arrive, and its BYE ends it`(isOdd: Bool) async throws {
        let port = try Self.ports(isOdd: isOdd)
        let receiver = try receive(description(port))
        _ = try await receiver.said("RTCP on 127.0.0.1:\(port + 1)")
        let sender = try Peer.ffmpeg.start(
            [
                "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=30", "-frames:v",
                "\(Self.frameCount)", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k", "-f",
                "rtp", "-rtpflags", "send_bye", "rtp://127.0.0.1:\(port)",
            ], limit: 60)
        _ = try await sender.finished()
        let (report, seconds) = try await finish(receiver)
        note("FFmpeg: \(reportCount(report)) datagrams of RTCP, over after \(seconds) s")
        #expect(report.received.decoder.framesDecoded == Self.frameCount)
        // A second is left for what is in the buffer.
        #expect(reportCount(report) >= 2, "\(reportCount(report))")
        // A busy machine takes its time; without a BYE it would be 10 s at least.
        #expect(seconds < (isLongRun ? 4 : 9), "\(seconds) s")
    }

    /// Where RTCP goes, and what the description says of it.
    enum Place: CaseIterable { case behind, named }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled && Peer.python.isInstalled, "python3-gi is not there"),
        arguments: Place.allCases)
    func `GStreamer hears NACKs at the port that it sends reports from`(place: Place) async throws {
        let (port, host) = (try Self.ports(), "127.0.0.1")
        let reports = place == .named ? try PeerEnd.freePort() : port + 1
        let line = "a=rtcp:\(reports) IN IP4 127.0.0.1"
        let receiver = try receive(description(port, host, place == .named ? [line] : []))
        _ = try await receiver.said("RTCP on ")
        let script = folder.path("send.py")
        try write(Array(GStreamerScript.twoPorts.utf8), to: script)
        let sender = try Peer.python.start([script, host, "\(port)", "\(reports)", "\(Self.frameCount)"], limit: 60)
        let said = try await sender.finished()
        let heard = try JSONDecoder().decode(Heard.self, from: Data(said))
        let (report, seconds) = try await finish(receiver)
        note("GStreamer, \(place): \(heard), \(reportCount(report)) datagrams of RTCP, over after \(seconds) s")
        #expect(heard.nacks > 0, "\(heard)")
        // Behind the last packet nothing shows that it is lost; a frame that is repaired late is not always decoded.
        let frames = report.received.stream.framesReceived
        #expect(heard.lost > 3 && frames >= Self.frameCount - 2, "\(frames) frames, \(heard)")
        #expect(reportCount(report) >= 2, "\(reportCount(report)), \(seconds) s")
        #expect(seconds < (isLongRun ? 4 : 9) || !heard.hasEnded, "\(seconds) s, \(heard)")
    }

    @Test(.enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"))
    func `GStreamer's reports on what is sent are heard, whichever port they come from`() async throws {
        let (port, own) = (try Self.ports(), try Self.ports())
        let sender = try RillRun.start([
            "send", "--to", "127.0.0.1:\(port)", "--listen", "\(own)", "--size", "320x240", "--duration", "8s",
            "--delay", "2s", "--sdp", folder.path("out.sdp"), "--json",
        ])
        _ = try await sender.said("gst-launch-1.0 ")
        // As in GStreamer's own examples: nothing binds the port from which it reports.
        let caps = "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96"
        let player = try existing(Program(named: Peer.gstreamer.rawValue)).start(
            [
                "rtpbin", "name=bin", "udpsrc", "port=\(port)", "caps=\(caps)", "!", "bin.recv_rtp_sink_0", "bin.", "!",
                "rtpvp8depay", "!", "fakesink", "sync=false", "udpsrc", "port=\(port + 1)", "!",
                "bin.recv_rtcp_sink_0", "bin.send_rtcp_src_0", "!", "udpsink", "host=127.0.0.1", "port=\(own + 1)",
                "sync=false", "async=false",
            ], limit: 60)
        let report = try RillRun.Report(try await sender.finished())
        player.interrupt()
        _ = try await player.finished()
        let session = report.participant.session
        #expect(session.transport.packetsReceived > 0 && session.congestion?.rateFeedback == .receiverReports)
    }

    private struct Heard: Decodable {
        /// Whether it has said BYE.
        var hasEnded: Bool
        var nacks: Int
        var lost: Int
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `A port behind that is taken is reported, and the stream is received all the same`() async throws {
        let port = try Self.ports()
        let other = try UDPSocket(boundTo: UDPAddress(.loopback, port: port + 1))
        let receiver = try receive(description(port))
        _ = try await receiver.said("RTCP is not received")
        let sender = try Peer.ffmpeg.start(
            [
                "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=30", "-frames:v",
                "30",
                "-c:v", "libvpx", "-deadline", "realtime", "-f", "rtp", "rtp://127.0.0.1:\(port)",
            ], limit: 60)
        _ = try await sender.finished()
        receiver.interrupt()
        let outcome = try await receiver.finished()
        #expect(outcome.status == 0 || outcome.status == 130, "\(outcome.errors)")
        withExtendedLifetime(other) {}
    }
}
