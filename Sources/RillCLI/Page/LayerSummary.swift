import Rill
import RillCore
import RillLab
import RillPages

/// The figures of each layer that a reader wants first.
struct LayerSummary {
    private let layers: [LoopbackReport.Layer]
    private let timelines: [LayerTimeline]

    init(_ layers: [LoopbackReport.Layer], _ timelines: [LayerTimeline]) {
        self.layers = layers
        self.timelines = timelines
    }

    var html: HTML {
        var table = PageTable(["What was seen"] + layers.map(\.rid))
        func row(_ name: String, isDetail: Bool = false, _ value: (LoopbackReport.Layer) -> String) {
            table.add([name] + layers.map(value), isDetail: isDetail)
        }
        row("pictures") { $0.resolution }
        row("shown, of the frames sent") { Decimal.percent($0.received.shownShare) }
        row("frames", isDetail: true) { "\($0.received.framesShown) of \($0.sent.framesEncoded)" }
        row("freezes, W3C's rule") { "\($0.received.freezeCount)" }
        row("in all", isDetail: true) { Self.seconds($0.received.totalFreezesDuration) }
        row("gaps longer than 500 ms") { "\($0.received.longFreezeCount)" }
        row("in all", isDetail: true) { Self.seconds($0.received.totalLongFreezesDuration) }
        let unended = timelines.map(\.unendedFreeze)
        if unended.contains(where: { $0 != nil }) {
            table.add(
                ["nothing shown at the end"]
                    + unended.map { gap in gap.map { Self.seconds(($0.end - $0.start).milliseconds) } ?? "–" })
        }
        row("delay added, median") { Self.milliseconds($0.addedDelay?.median) }
        row("95 of 100 frames below", isDetail: true) { Self.milliseconds($0.addedDelay?.percentile95) }
        row("capture to showing, median") { Self.milliseconds($0.wholeDelay?.median) }
        row("95 of 100 frames below", isDetail: true) { Self.milliseconds($0.wholeDelay?.percentile95) }
        table.add(["packets that the network lost"] + timelines.map { Decimal.percent($0.lostShare) })
        row("requests for missing packets", isDetail: true) { "\($0.received.nackCount)" }
        row("frames repaired", isDetail: true) { "\($0.received.framesRepaired)" }
        row("key frames asked for") { "\($0.received.pliCount)" }
        row("likeness to the source, PSNR-Y") { $0.quality?.psnrY.map { Decimal.text($0, decimals: 2) + " dB" } ?? "–" }
        return .element(
            "div", [:], table.html,
            .paragraph(
                "Delay added: from sending to showing, less the network's smallest. What is left is the jitter buffer, "
                    + "repair and decoding.", isNote: true))
    }

    private static func seconds(_ milliseconds: Double) -> String {
        Decimal.text(milliseconds / 1000, decimals: 2) + " s"
    }

    private static func milliseconds(_ value: Double?) -> String {
        value.map { Decimal.text($0, decimals: 1) + " ms" } ?? "–"
    }
}

extension LoopbackReport.Layer {
    /// From capture to showing.
    fileprivate var wholeDelay: LatencySummary? { latencies.last.flatMap { $0.count > 0 ? $0 : nil } }
}

extension LayerTimeline {
    /// Packets lost, of all that were handed to the network.
    fileprivate var lostShare: Double {
        let sum = TimelineInterval(sumOf: intervals)
        return sum.packetsSent == 0 ? 0 : Double(sum.packetsLost) / Double(sum.packetsSent)
    }
}
