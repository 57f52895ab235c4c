import Rill
import RillCore
import RillLab
import RillPages

/// What became of a loopback session, as a page: the figures a reader wants first, then everything over time, then what
/// was seen around the freezes, then all statistics.
///
/// The same session gives the same bytes.
struct LoopbackPage {
    /// The statistics.
    var report: LoopbackReport
    /// What happened over time, in the order of the layers.
    var timelines: [LayerTimeline]
    /// What was run: names and values, as a reader may want to know them.
    var facts: [(name: String, value: String)]

    var page: Page {
        Page(
            title: "A call with oneself",
            subtitle: "Over \(networkText), \(report.mode == "live" ? "live" : "in virtual time"): "
                + "\(Decimal.text(report.duration, decimals: 1)) s, \(report.framesCaptured) frames captured.",
            body: [overview] + layerSections + [freezes, statistics])
    }

    private var networkText: String {
        // The seed is always there, and alone says that nothing was spoilt.
        report.network.hasPrefix("seed=") ? "a perfect network" : report.network
    }

    /// From the beginning to the last frame that was captured or shown; what still arrives later is beside the point.
    private var time: ClosedRange<Double> {
        0...max(report.duration, timelines.compactMap(\.lastShown?.seconds).max() ?? 0)
    }

    private var overview: HTML {
        var run = PageTable(["What was run", ""], holdsWords: true)
        for fact in facts { run.add([fact.name, fact.value]) }
        if let interruption = report.interruption { run.add(["ended early", interruption]) }
        return .element(
            "section", [:],
            .element("div", ["class": "columns"], LayerSummary(report.layers, timelines).html, run.html))
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
                            ? "The last picture stood to the end: no other ended it, so neither rule counts it."
                            : "No picture stood too long, by neither rule.")
                ])
        }
        return .section(
            "Freezes",
            [
                .paragraph(
                    "What the viewer saw: the picture that stood, and the one that ended it. W3C's rule calls a gap a "
                        + "freeze that lasts three mean gaps, and at least 150 ms more than one; call SDKs one of more "
                        + "than 500 ms.")
            ] + cards)
    }

    private var statistics: HTML {
        .section(
            "All statistics",
            [
                .paragraph(
                    "As --json prints them, under the names of W3C webrtc-stats where it has one. Times are in "
                        + "milliseconds, bitrates in bits per second."),
                StatisticsTable(report).html,
            ])
    }
}
