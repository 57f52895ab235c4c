import Rill
import RillReceive
import RillTestSupport
import Testing

/// Other programs that end without a goodbye and start again, with other numbers, timestamps or another SSRC:
/// RestartTableTests has every combination in virtual time, these are as the programs make them.
@Suite(.serialized) struct RestartedSenderTests {
    private static let frameCount = 60

    /// How a program starts again: the SSRC, and the first sequence number and timestamp.
    struct Start: CustomTestStringConvertible {
        var ssrc = 1111
        var number: Int
        var timestamp = 100_000
        var testDescription: String { "SSRC \(ssrc), number \(number), timestamp \(timestamp)" }
    }

    /// Sends two seconds, key frames a second apart, then the same again with the other numbers.
    private func restart(
        _ program: Peer, _ arguments: (Start, _ port: UInt16) -> [String], _ second: Start
    ) async throws -> (RillRun.Report, seconds: Double) {
        let port = try PeerEnd.freePort()
        let start = ContinuousClock.now
        let receiver = try RillRun.start(
            ["receive", "--port", "\(port)", "--timeout", "60s", "--json"])
        _ = try await receiver.said("listening on")
        for start in [Start(number: 30_000), second] {
            _ = try await program.start(arguments(start, port), limit: 60).finished()
        }
        // On a busy machine the second start takes its time; what it sent is shown by then.
        try await Task.sleep(for: .seconds(2))
        receiver.interrupt()
        return (try RillRun.Report(try await receiver.finished()), (ContinuousClock.now - start).milliseconds / 1000)
    }

    private func judge(_ report: RillRun.Report, _ seconds: Double, _ name: String) {
        let (shown, stream) = (report.received.framesShown, report.received.stream)
        note("\(name): \(shown) of \(2 * Self.frameCount) frames shown, \(stream.pliCount) PLIs")
        // At most a key frame interval of the second start is lost, here a second, and requests are not repeated for
        // each packet, but in 4 s while nothing comes.
        #expect(shown >= 2 * Self.frameCount - 30, "\(name): \(report.received)")
        #expect(Double(stream.pliCount) <= 2 + seconds / 4, "\(name), \(seconds) s: \(stream)")
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: [
            Start(number: 29_900), Start(number: 29_600, timestamp: 5_000_000), Start(ssrc: 2222, number: 0),
            Start(number: 10_000, timestamp: 50_000), Start(number: 30_200), Start(ssrc: 2222, number: 30_100),
        ].prefix(isLongRun ? 6 : 2))
    func `GStreamer starts again`(second: Start) async throws {
        let (report, seconds) = try await restart(
            Peer.gstreamer,
            { start, port in
                [
                    "-q", "videotestsrc", "num-buffers=\(Self.frameCount)", "is-live=true", "!",
                    "video/x-raw,width=320,height=240,framerate=30/1", "!", "vp8enc", "deadline=1",
                    "keyframe-max-dist=30", "!", "rtpvp8pay", "pt=96", "mtu=500", "ssrc=\(start.ssrc)",
                    "seqnum-offset=\(start.number)", "timestamp-offset=\(start.timestamp)", "!", "udpsink",
                    "host=127.0.0.1", "port=\(port)",
                ]
            }, second)
        judge(report, seconds, "GStreamer, \(second.testDescription)")
    }

    /// Its timestamps begin anywhere.
    @Test(
        .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"),
        arguments: [
            Start(number: 29_800), Start(ssrc: 2222, number: 7), Start(number: 0), Start(ssrc: 2222, number: 30_200),
        ].prefix(isLongRun ? 4 : 1))
    func `FFmpeg starts again`(second: Start) async throws {
        let (report, seconds) = try await restart(
            Peer.ffmpeg,
            { start, port in
                [
                    "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=30", "-frames:v",
                    "\(Self.frameCount)", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k",
                    "-g", "30", "-f", "rtp", "-ssrc", "\(start.ssrc)", "-seq", "\(start.number)",
                    "rtp://127.0.0.1:\(port)?rtcpport=\(port)&pkt_size=500",
                ]
            }, second)
        judge(report, seconds, "FFmpeg, \(second.testDescription)")
    }
}
