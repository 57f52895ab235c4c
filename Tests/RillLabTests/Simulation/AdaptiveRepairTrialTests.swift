import RillCodec
import RillCore
import RillLink
import RillMediaSupport
import RillRTP
import RillSend
import RillSession
import RillTestSupport
import Testing

@testable import RillLab

/// Calls with encoders whose bitrate and FEC follow a long path that loses much.
struct AdaptiveRepairTrialTests {
    @Test(.enabled(if: isLongRun, "eight calls with encoders are for --all"))
    func `With FEC that adapts a viewer sees more frames, and fewer freezes`() throws {
        var (alone, adaptive) = (Sight(), Sight())
        for seed in 1...4 as ClosedRange<UInt64> {
            alone.add(try Self.call(nil, seed: seed))
            var fec = FECSettings(
                percentage: .zero, payloadType: PayloadType(101), redPayloadType: PayloadType(100))
            fec.isAdaptive = true
            adaptive.add(try Self.call(fec, seed: seed))
        }
        note("retransmission alone: \(alone); with FEC: \(adaptive)")
        #expect(alone.fecPackets == 0 && adaptive.fecPackets > 1000)
        #expect(adaptive.frames >= alone.frames && adaptive.freezes < alone.freezes)
    }

    private struct Sight {
        var frames = 0
        var freezes = 0
        var fecPackets = 0

        mutating func add(_ report: LoopbackReport.Layer) {
            frames += report.received.framesShown
            freezes += report.received.freezeCount
            fecPackets += report.sent.fecPacketsSent
        }
    }

    /// The high layer of half a minute.
    private static func call(_ fec: FECSettings?, seed: UInt64) throws -> LoopbackReport.Layer {
        let size = Resolution(width: 640, height: 360)
        let forward = try LinkSettings(notation: "rate=2M,queue=300ms,delay=100ms,loss=10%,seed=\(seed)")
        var settings = LoopbackSettings(layers: [.high(size, bitrate: .kilobits(1800)), .low], network: forward)
        settings.returnNetwork = try LinkSettings(notation: "delay=100ms,seed=\(seed)")
        settings.congestion = CongestionSettings()
        settings.fec = fec
        settings.measuresQuality = false
        let loopback = try Loopback(settings) { try LoopedPictures(size, frameCount: 900, distinct: 50) }
        return try #require(try loopback.runInVirtualTime().layers.first)
    }
}
