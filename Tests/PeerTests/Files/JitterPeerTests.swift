import Foundation
import RillCore
import RillFiles
import RillLab
import RillRTP
import RillTestSupport
import RillTransport
import Testing

/// Streams, losses and jitter of captures, beside tshark's (`-z rtp,streams`).
///
/// Without signaling, tshark knows the media clock of static payload types only.
@Suite(
    .enabled(if: Peer.tshark.isInstalled, "tshark is not installed"),
    .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"),
    .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"))
struct JitterPeerTests {
    let folder = TemporaryFolder()

    /// A program that sends two seconds.
    enum Sender: CaseIterable {
        case ffmpegVideo, ffmpegSound, gstreamerSound

        func start(to port: UInt16) throws -> RunningPeer {
            let url = "rtp://127.0.0.1:\(port)?rtcpport=\(port)"
            let sink = ["!", "udpsink", "host=127.0.0.1", "port=\(port)"]
            let ffmpeg = ["-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i"]
            return switch self {
            case .ffmpegVideo:
                try Peer.ffmpeg.start(
                    ffmpeg + ["testsrc=duration=2:size=320x240:rate=30", "-c:v", "mpeg1video", "-f", "rtp", url],
                    limit: 30)
            case .ffmpegSound:
                try Peer.ffmpeg.start(
                    ffmpeg + ["sine=duration=2:sample_rate=8000", "-c:a", "pcm_mulaw", "-f", "rtp", url], limit: 30)
            case .gstreamerSound:
                try Peer.gstreamer.start(
                    ["-q", "audiotestsrc", "is-live=true", "num-buffers=100", "samplesperbuffer=160", "!"]
                        + ["audio/x-raw,rate=8000,channels=1", "!", "mulawenc", "!", "rtppcmupay"] + sink, limit: 30)
            }
        }
    }

    /// A stream as tshark lists it.
    private struct Row {
        var ssrc = ""
        var packets = 0
        var lost = 0
        var meanJitter = 0.0
        var maximumJitter = 0.0

        /// `… 0x3554702D g711U 120 0 (0.0%) 14.670 19.955 24.408 0.163 0.337 0.678`
        init?(_ line: Substring) {
            let words = line.split(separator: " ").map(String.init)
            guard let share = words.firstIndex(where: { $0.hasSuffix("%)") }), share >= 2, words.count > share + 6,
                let ssrc = words.first(where: { $0.hasPrefix("0x") }), let packets = Int(words[share - 2]),
                let lost = Int(words[share - 1]), let mean = Double(words[share + 5]),
                let maximum = Double(words[share + 6])
            else { return nil }
            (self.ssrc, self.packets, self.lost) = (ssrc.lowercased(), packets, lost)
            (meanJitter, maximumJitter) = (mean, maximum)
        }
    }

    /// Writes what arrives until nothing does for a second, all but every n-th packet.
    private func capture(_ sender: Sender, leavingOut period: Int) async throws -> String {
        let path = folder.path("call.pcap")
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let file = try CaptureWriter(path: path)
        let program = try sender.start(to: socket.localAddress.port)
        var datagrams = IncomingDatagrams(capacity: 16)
        let start = ContinuousClock.now
        var count = 0
        while true {
            guard case .received = try socket.receive(into: &datagrams, within: .seconds(count == 0 ? 20 : 1)) else {
                break
            }
            let elapsed = start.duration(to: .now) / .nanoseconds(1)
            for index in datagrams.indices {
                count += 1
                let isLeftOut = period > 0 && count % period == 0
                let bytes = datagrams.bytes(at: index)
                if isLeftOut, PacketKind(of: bytes) == .rtp { continue }
                let source = datagrams.source(at: index)
                let time = MediaTime.zero + MediaDuration(nanoseconds: Int64(elapsed))
                let port: UInt16 = PacketKind(of: bytes) == .rtcp ? 5005 : 5004
                try file.write(bytes, from: source, to: UDPAddress(.loopback, port: port), at: time)
            }
        }
        try file.finish()
        _ = try await program.finished()
        return path
    }

    @Test(arguments: Sender.allCases, [0, 7])
    func `Packets, losses and jitter are those of tshark`(sender: Sender, period: Int) async throws {
        let path = try await capture(sender, leavingOut: period)
        let output = try Peer.tshark.run([
            "-n", "-r", path, "-d", "udp.port==5004,rtp", "-d", "udp.port==5005,rtcp", "-q", "-z", "rtp,streams",
        ])
        let rows = String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { Row($0) }
        let row = try #require(rows.first, "\(String(decoding: output, as: UTF8.self))")
        let streams = try FileInspection(of: path).streams.filter { $0.packets?.count ?? 0 > 0 }
        let stream = try #require(streams.first)
        let (packets, jitter) = (try #require(stream.packets), try #require(stream.packets?.jitter))
        note(
            "\(sender): ours \(jitter.mean) and \(jitter.maximum) ms, "
                + "tshark's \(row.meanJitter) and \(row.maximumJitter)")
        #expect(rows.count == 1 && streams.count == 1 && stream.ssrc == row.ssrc)
        #expect(packets.count == row.packets && packets.lost == row.lost)
        #expect((packets.lost > 0) == (period > 0))
        // Where several packets have one timestamp, tshark 4.0.17 has other figures (by up to 0.9 ms).
        if sender != .ffmpegVideo {
            // Ours is in whole ticks, as the RFC computes it.
            #expect(abs(jitter.mean - row.meanJitter) < 0.03 * row.meanJitter + 0.125)
            #expect(abs(jitter.maximum - row.maximumJitter) < 0.03 * row.maximumJitter + 0.125)
        }
    }
}
