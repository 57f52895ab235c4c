import RillCodec
import RillCore
import RillLink
import RillMediaSupport
import RillRTP
import RillReceive
import RillSend
import RillTestSupport
import Testing

@testable import RillLab

/// Where FEC shows more frames than retransmission alone, at the same total bitrate: the figures behind
/// ``/RillSend/RepairPolicy``.
struct RepairTrialTests {
    /// What a viewer saw of one layer.
    private struct Result {
        var shownShare = 0.0
        var freezesPerMinute = 0.0
        var delay = MediaDuration.zero
    }

    /// One FEC packet per frame or more: percent of a frame's packets, and what that leaves for the frames.
    private static let protections: [(percent: Int, share: Double)] = [(0, 1), (10, 0.87), (34, 0.74)]

    @Test(.enabled(if: isLongRun, "the table is for --all"), arguments: [500, 2000])
    func `The table of FEC and retransmission`(kilobits: Int) throws {
        for loss in [1, 2, 5, 10] {
            for roundTrip in [20, 100, 200, 400] {
                var shown: [Double] = []
                var line = "\(kilobits) kbit/s, loss \(loss) %, RTT \(roundTrip) ms:"
                for protection in Self.protections {
                    // At 500 kbit/s a frame has two packets, and one FEC packet is a third of all.
                    let share = kilobits == 500 && protection.percent > 0 ? 0.67 : protection.share
                    let layers = try Self.coded(kilobits: Int(Double(kilobits) * share))
                    var sums = [Result(), Result()]
                    for seed in 1...2 as ClosedRange<UInt64> {
                        let results = try Self.run(layers, loss, roundTrip, protection.percent, seed)
                        for index in 0..<2 {
                            sums[index].shownShare += results[index].shownShare / 2
                            sums[index].freezesPerMinute += results[index].freezesPerMinute / 2
                            sums[index].delay += results[index].delay / 2
                        }
                    }
                    shown.append(sums[0].shownShare)
                    line += " FEC \(protection.percent) %:"
                    for (name, result) in zip(["high", "low"], sums) {
                        line += " \(name) \((result.shownShare * 10_000).rounded() / 100) %"
                        line += " \(result.freezesPerMinute) freezes \(Int(result.delay.milliseconds)) ms;"
                    }
                    if kilobits == 500, protection.percent == 10 { break }
                }
                note(line)
                guard roundTrip >= 200 else { continue }
                // What the policy says of the high layer holds.
                let isProtected = loss == 10 && kilobits == 2000
                #expect(isProtected ? shown[1] > shown[0] : shown[1] <= shown[0], "\(line)")
            }
        }
    }

    private static func coded(kilobits: Int) throws -> [CodedLayer] {
        let layers = [LayerSettings.high(Resolution(width: 320, height: 180), bitrate: .kilobits(kilobits)), .low]
        var coded = layers.map { CodedLayer(of: $0) }
        let encoder = try SimulcastEncoder(layers: layers)
        let source = try LoopedPictures(layers[0].resolution, frameCount: 150, distinct: 50)
        while case .frame(let frame) = source.next() {
            try encoder.encode(frame) { frame, payload in
                coded[frame.layer.rid == layers[0].rid ? 0 : 1].append(frame, payload)
            }
        }
        return coded.map { $0.repeated(24) }
    }

    private static func run(
        _ layers: [CodedLayer], _ loss: Int, _ roundTrip: Int, _ percent: Int, _ seed: UInt64
    ) throws -> [Result] {
        let network = try LinkSettings(notation: "delay=\(roundTrip / 2)ms,loss=\(loss)%,seed=\(seed)")
        var settings = CallSettings(layers: layers.map(\.settings), network: network)
        settings.returnNetwork = try LinkSettings(notation: "delay=\(roundTrip / 2)ms,seed=\(seed)")
        if percent > 0 {
            settings.fec = FECSettings(
                percentage: .percent(percent), payloadType: PayloadType(98), redPayloadType: PayloadType(99))
        }
        let viewer = Viewer(layerCount: layers.count)
        try CallSimulation(settings, observer: viewer).run(sending: layers)
        return layers.indices.map { index in
            let delays = viewer.delays[index].sorted()
            return Result(
                shownShare: Double(delays.count) / Double(layers[index].count),
                freezesPerMinute: Double(viewer.meters[index].statistics.freezeCount) / 2,
                delay: delays.isEmpty ? .zero : delays[delays.count * 95 / 100])
        }
    }

    private final class Viewer: CallObserver {
        private var captured: [[RTPTimestamp: MediaTime]]
        var delays: [[MediaDuration]]
        var meters: [FreezeMeter]

        init(layerCount: Int) {
            captured = Array(repeating: [:], count: layerCount)
            delays = Array(repeating: [], count: layerCount)
            meters = Array(repeating: FreezeMeter(), count: layerCount)
        }

        func callBegan(streams: [RTPStreamSettings]) {}
        func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime) {
            captured[layer][timestamp] = captureTime
        }
        func datagramWasSent(
            _ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome
        ) {}
        func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime) {}
        func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime) {
            guard let start = captured[layer][timestamp] else { return }
            delays[layer].append(now - start)
            meters[layer].shown(at: now)
        }
        func keyFrameWasRequested(layer: Int, at now: MediaTime) {}
    }
}
