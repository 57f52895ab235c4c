import RillCodec
import RillCore
import RillFiles
import RillLink
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillLab

@Suite struct LinkCaptureTests {
    let folder = TemporaryFolder()

    /// A short call whose network's arrivals are recorded.
    private func record(_ name: String, live: Bool = false) throws -> (String, LoopbackReport) {
        let path = folder.path(name)
        let network = try LinkSettings(notation: "loss=\(live ? 0 : 5)%,delay=30ms,seed=11")
        let size = Resolution(width: 320, height: 240)
        var settings = LoopbackSettings(layers: [.high(size, bitrate: .kilobits(300)), .low], network: network)
        settings.measuresQuality = false
        let loopback = try Loopback(settings) { try LoopedPictures(size, frameCount: live ? 20 : 60) }
        loopback.capture = try LinkCapture(path: path)
        return (path, live ? try loopback.runLive() : try loopback.runInVirtualTime())
    }

    @Test(arguments: ["call.pcap", "call.pcapng", "call.rtpdump"])
    func `Datagrams that arrive at either end are recorded, lost ones are not`(name: String) throws {
        let (path, report) = try record(name)
        let inspection = try FileInspection(of: path)
        // Two streams of media, the receiver's reports, and one or two of retransmissions.
        #expect(inspection.damage == nil && (4...5).contains(inspection.streams.count))
        for (stream, layer) in zip(inspection.streams.filter { $0.codec != nil }, report.layers) {
            #expect(stream.packets?.count == layer.received.packetsReceived)
            #expect((stream.packets?.count ?? 0) <= layer.sent.packetsSent)
            #expect(stream.resolution == layer.resolution)
        }
        #expect(report.layers.contains { $0.received.packetsReceived < $0.sent.packetsSent })
        // The receivers' reports came back.
        #expect(inspection.streams.count { ($0.packets?.rtcpKinds["RR"] ?? 0) > 0 } == 1)

        let capture = try CaptureReader(path: path)
        var bytes: [UInt8] = []
        var times: [MediaTime] = []
        while let datagram = try capture.next(into: &bytes) { times.append(datagram.time) }
        // The first packet took the network's 30 ms, and what arrives later stands later.
        #expect(times.first == LinkCapture.virtualStart + .milliseconds(30))
        #expect(times == times.sorted())
    }

    @Test(arguments: ["pcap", "pcapng", "rtpdump"])
    func `The same seed gives the same bytes`(ending: String) throws {
        let (first, _) = try record("first.\(ending)")
        let (second, _) = try record("second.\(ending)")
        #expect(try read(first) == read(second))
    }

    @Test func `A live session is recorded, too`() throws {
        let (path, report) = try record("live.pcap", live: true)
        let inspection = try FileInspection(of: path)
        for layer in report.layers {
            let stream = try #require(inspection.streams.first { $0.resolution == layer.resolution })
            #expect(stream.packets?.count == layer.received.packetsReceived)
        }
    }
}
