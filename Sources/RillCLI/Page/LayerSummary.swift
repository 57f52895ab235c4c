import Rill
import RillCore
import RillLab
import RillPages

/// The most important figures of each layer.
struct LayerSummary {
    private let layers: [LoopbackReport.Layer]
    private let timelines: [LayerTimeline]

    init(_ layers: [LoopbackReport.Layer], _ timelines: [LayerTimeline]) {
        self.layers = layers
        self.timelines = timelines
    }

    var html: HTML {
        var table = PageTable(["Results"] + layers.map(\.rid))
        func row(_ name: String, isDetail: Bool = false, _ value: (LoopbackReport.Layer) -> String) {
            table.add([name] + layers.map(value), isDetail: isDetail)
        }
        row("resolution") { $0.resolution }
        row("frames shown, of those sent") { Decimal.percent($0.received.shownShare) }
        row("frames", isDetail: true) { "\($0.received.framesShown) of \($0.sent.framesEncoded)" }
        row("freezes, W3C's rule") { "\($0.received.freezeCount)" }
        row("total", isDetail: true) { Self.seconds($0.received.totalFreezesDuration) }
        row("gaps longer than 500 ms") { "\($0.received.longFreezeCount)" }
        row("total", isDetail: true) { Self.seconds($0.received.totalLongFreezesDuration) }
        let unended = timelines.map(\.unendedFreeze)
        if unended.contains(where: { $0 != nil }) {
            table.add(
                ["no picture shown at the end"]
                    + unended.map { gap in gap.map { Self.seconds(($0.end - $0.start).milliseconds) } ?? "–" })
        }
        row("delay added, median") { Self.milliseconds($0.addedDelay?.median) }
        row("95th percentile", isDetail: true) { Self.milliseconds($0.addedDelay?.percentile95) }
        row("capture to showing, median") { Self.milliseconds($0.wholeDelay?.median) }
        row("95th percentile", isDetail: true) { Self.milliseconds($0.wholeDelay?.percentile95) }
        table.add(["packets lost by the network"] + timelines.map { Decimal.percent($0.lostShare) })
        row("NACKs", isDetail: true) { "\($0.received.nackCount)" }
        row("frames repaired", isDetail: true) { "\($0.received.framesRepaired)" }
        row("key frames requested") { "\($0.received.pliCount)" }
        row("PSNR-Y against the source") { $0.quality?.psnrY.map { Decimal.text($0, decimals: 2) + " dB" } ?? "–" }
        return .element(
            "div", [:], table.html,
            .paragraph(
                "Delay added: from sending to showing, minus the smallest network delay. The rest is jitter buffer, "
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
    /// The share of lost packets, of all that were sent.
    fileprivate var lostShare: Double {
        let sum = TimelineInterval(sumOf: intervals)
        return sum.packetsSent == 0 ? 0 : Double(sum.packetsLost) / Double(sum.packetsSent)
    }
}
