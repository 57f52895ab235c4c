import RillCodec
import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillTestSupport
import Testing

/// A recorded call in tshark.
@Suite(.enabled(if: Peer.tshark.isInstalled, "tshark is not installed"))
struct LinkCapturePeerTests {
    let folder = TemporaryFolder()

    @Test func `tshark identifies requests, answers and echoes`() throws {
        let path = folder.path("call.pcap")
        let size = Resolution(width: 320, height: 240)
        var settings = LoopbackSettings(
            layers: [.high(size, bitrate: .kilobits(300)), .low],
            network: try LinkSettings(notation: "loss=5%,delay=30ms,seed=11"))
        settings.measuresQuality = false
        let loopback = try Loopback(settings) { try LoopedPictures(size, frameCount: 60) }
        loopback.capture = try LinkCapture(path: path)
        _ = try loopback.runInVirtualTime()
        let names = [
            "rtp.p_type", "rtcp.pt", "rtcp.rtpfb.nack_pid", "rtcp.xr.bt", "_ws.malformed", "_ws.expert.message",
        ]
        let output = try Peer.tshark.run(
            ["-n", "-r", path, "-d", "udp.port==5004,rtp", "-T", "fields", "-E", "aggregator=|"]
                + names.flatMap { ["-e", $0] })
        let rows = String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map {
                $0.split(separator: "|").map(String.init)
            }
        }
        func column(_ name: String) -> [[String]] {
            rows.compactMap { row in names.firstIndex(of: name).map { row[$0] } }
        }
        #expect(column("_ws.malformed").allSatisfy(\.isEmpty) && column("_ws.expert.message").allSatisfy(\.isEmpty))
        // Each request stands behind a report and a name (RFC 3550 §6.1), and is answered on the stream of its own.
        let requests = rows.filter { !$0[2].isEmpty }
        #expect(!requests.isEmpty && requests.allSatisfy { $0[1].starts(with: ["201", "202", "205"]) })
        #expect(column("rtp.p_type").count { $0 == ["97"] } > 0)
        // The receiver's time (4), and its echo (5).
        let kinds = Set(column("rtcp.xr.bt").flatMap(\.self))
        #expect(kinds == ["4", "5"])
    }
}
