import Rill
import RillCore
import RillLab
import RillPages

/// The page of a loopback session: the most important figures, plots over time, pictures around freezes, and all
/// statistics.
///
/// The same session gives the same bytes.
struct LoopbackPage {
    /// The statistics.
    var report: LoopbackReport
    /// The timelines, in the order of the layers.
    var timelines: [LayerTimeline]
    /// What congestion control did; empty without.
    var network: [NetworkSample] = []
    /// The parameters of the session: names and values.
    var facts: [(name: String, value: String)]

    var page: Page {
        Page(
            title: "Loopback session",
            subtitle: "Over \(networkText), \(report.mode == "live" ? "live" : "in virtual time"): "
                + "\(Decimal.text(report.duration, decimals: 1)) s, \(report.framesCaptured) frames captured.",
            body: [overview] + networkSection + layerSections + [freezes, statistics])
    }

    private var networkText: String {
        // The seed is always given; if it comes first, there are no other settings.
        report.network.hasPrefix("seed=") ? "a perfect network" : report.network
    }

    /// From the start to the last frame that was captured or shown.
    private var time: ClosedRange<Double> {
        0...max(report.duration, timelines.compactMap(\.lastShown?.seconds).max() ?? 0)
    }

    private var overview: HTML {
        var run = PageTable(["Session", ""], holdsWords: true)
        for fact in facts { run.add([fact.name, fact.value]) }
        if let interruption = report.interruption { run.add(["ended early", interruption]) }
        return .element(
            "section", [:],
            .element("div", ["class": "columns"], LayerSummary(report.layers, timelines).html, run.html))
    }

    /// What congestion control did, in intervals of a 300th of the session, but of a fifth of a second at least.
    private var networkSection: [HTML] {
        let length = max(0.2, time.upperBound / 300)
        var (samples, last) = ([NetworkPlots.Sample](), network.first)
        var transit: MediaDuration?
        for sample in network.dropFirst() {
            guard let before = last else { break }
            transit = [transit, sample.longestTransit].compactMap(\.self).max()
            guard (sample.time - before.time).seconds >= length else { continue }
            let packets = sample.packetsSent - before.packetsSent
            let waits = 1000 * (sample.totalPacketSendDelay - before.totalPacketSendDelay)
            samples.append(
                NetworkPlots.Sample(
                    start: before.time.seconds, end: sample.time.seconds,
                    estimate: Double(sample.availableOutgoingBitrate) / 1000,
                    targets: sample.targetBitrates.map { Double($0) / 1000 },
                    packetSendDelay: packets > 0 ? waits / Double(packets) : nil, cuts: sample.cuts - before.cuts,
                    probes: sample.probes - before.probes, transit: transit?.milliseconds))
            (last, transit) = (sample, nil)
        }
        guard !samples.isEmpty else { return [] }
        let plots = NetworkPlots(samples, layers: report.layers.map(\.rid), x: .time(time)).plots
        return [.section("Congestion control over time", [.stack(plots.map(\.html), over: time)])]
    }

    private var layerSections: [HTML] {
        zip(report.layers, timelines).map { layer, timeline in
            let plots = LayerPlots(layer, timeline, of: report.duration, over: time)
            return .section(
                "\(layer.rid): \(layer.resolution) over time",
                [.paragraph(plots.introduction), .stack(plots.plots, over: time)])
        }
    }

    private var freezes: HTML {
        let cards = timelines.flatMap { FreezeCards($0).html }
        guard !cards.isEmpty else {
            let isDead = timelines.contains { $0.unendedFreeze != nil }
            return .section(
                "Freezes",
                [
                    .paragraph(
                        isDead
                            ? "The last picture was frozen until the end. No later picture ended it, so neither rule "
                                + "counts it."
                            : "There was no freeze, by either rule.")
                ])
        }
        return .section(
            "Freezes",
            [
                .paragraph(
                    "The frozen picture, and the picture that ended the freeze. By W3C's rule, a freeze is a gap "
                        + "between pictures of at least three mean gaps, and at least 150 ms more than the mean gap. Call SDKs "
                        + "count gaps of more than 500 ms.")
            ] + cards)
    }

    private var statistics: HTML {
        .section(
            "All statistics",
            [
                .paragraph(
                    "As printed by --json, with the names of W3C webrtc-stats where it defines them. Times are in "
                        + "milliseconds, bitrates in bits per second."),
                StatisticsTable(report).html,
            ])
    }
}
