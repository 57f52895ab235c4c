import Rill
import RillCore
import RillLab

extension LoopbackReport {
    /// The report as text tables.
    var text: String {
        var parts = [
            "\(mode == "live" ? "Live" : "Virtual time"): \(framesCaptured) frames, "
                + "\(Decimal.text(duration, decimals: 2)) s, over \(text(ofNetwork: network))"
                + (returnNetwork.map { ", back over \(text(ofNetwork: $0))" } ?? "")
        ]
        parts.append(layerTable.text)
        for layer in layers { parts.append("Latency of \(layer.rid), ms\n\n" + layer.latencyTable.text) }
        return parts.joined(separator: "\n\n")
    }

    /// The description lists only what differs from a perfect network, and the seed last.
    private func text(ofNetwork network: String) -> String {
        network.hasPrefix("seed=") ? "a perfect network" : network
    }

    private var layerTable: TextTable {
        var table = TextTable([""] + layers.map(\.rid))
        func row(_ title: String, _ value: (Layer) -> String) { table.add([title] + layers.map(value)) }
        row("resolution") { $0.resolution }
        row("target, kbit/s") { Decimal.text(Double($0.targetBitrate) / 1000, decimals: 0) }
        row("sent, kbit/s") { Decimal.text($0.sent.bitrate / 1000, decimals: 1) }
        row("frames encoded") { "\($0.sent.framesEncoded)" }
        row("  per second") { Decimal.text($0.sent.framesPerSecond, decimals: 2) }
        row("  key frames") { "\($0.sent.keyFramesEncoded)" }
        row("  dropped before encoding") { "\($0.sent.framesDropped)" }
        if layers.contains(where: { $0.sent.statistics.framesUnchanged > 0 }) {
            row("  unchanged") { "\($0.sent.statistics.framesUnchanged)" }
        }
        if layers.contains(where: { $0.sent.qualityLimitationResolutionChanges > 0 || $0.sent.isLimited }) {
            row("final size") { $0.sent.resolution }
            row("  limited by") { $0.sent.isLimited ? $0.sent.qualityLimitationReason : "–" }
        }
        row("packets sent") { "\($0.sent.packetsSent)" }
        func rowIfAny(_ title: String, _ value: (Layer) -> Int) {
            if layers.contains(where: { value($0) != 0 }) { row(title) { "\(value($0))" } }
        }
        rowIfAny("  retransmitted") { $0.sent.retransmittedPacketsSent }
        rowIfAny("  FEC packets") { $0.sent.fecPacketsSent }
        row("packets received") { "\($0.received.packetsReceived)" }
        row("  lost") { "\($0.received.packetsLost)" }
        row("  duplicated") { "\($0.received.packetsDuplicated)" }
        row("  late") { "\($0.received.packetsDiscarded)" }
        rowIfAny("  NACKs") { $0.received.nackCount }
        row("frames complete") { "\($0.received.framesReceived)" }
        rowIfAny("  repaired") { $0.received.framesRepaired }
        rowIfAny("  of those late") { $0.received.framesRepairedLate }
        row("frames decoded") { "\($0.received.framesDecoded)" }
        row("  dropped") { "\($0.received.framesDropped)" }
        row("frames shown") { "\($0.received.framesShown)" }
        row("  of those encoded") { Decimal.percent($0.received.shownShare) }
        row("freezes") { "\($0.received.freezeCount)" }
        row("  total, ms") {
            Decimal.text($0.received.statistics.freezes.totalFreezesDuration.milliseconds, decimals: 0)
        }
        row("gaps above 500 ms") { "\($0.received.longFreezeCount)" }
        row("delay added, median, ms") { Decimal.text($0.addedDelay?.median, decimals: 1) }
        row("  95 %") { Decimal.text($0.addedDelay?.percentile95, decimals: 1) }
        row("key frames requested") { "\($0.received.pliCount)" }
        row("PSNR-Y, dB") { Decimal.text($0.quality?.psnrY, decimals: 2) }
        row("SSIM-Y") { Decimal.text($0.quality?.ssimY, decimals: 4) }
        return table
    }
}

extension LoopbackReport.Sent {
    fileprivate var isLimited: Bool { qualityLimitationReason != QualityLimitationReason.none.rawValue }
}

extension LoopbackReport.Layer {
    fileprivate var latencyTable: TextTable {
        var table = TextTable(["from → to", "frames", "median", "95 %", "99 %", "max"])
        for step in latencies where step.count > 0 {
            let times = [step.median, step.percentile95, step.percentile99, step.maximum]
            table.add(["\(step.from) → \(step.to)", "\(step.count)"] + times.map { Decimal.text($0, decimals: 2) })
        }
        return table
    }
}
