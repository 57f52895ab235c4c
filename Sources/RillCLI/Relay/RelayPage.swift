import Rill
import RillCore
import RillLab
import RillPages

/// The page of a relay: for each direction rates, delays, losses, queue and timer lateness over time.
struct RelayPage {
    var report: RelayReport
    var summary: RelaySummary
    /// The parameters of the relay: names and values.
    var facts: [(name: String, value: String)]

    var page: Page {
        Page(
            title: "Relay",
            subtitle: "\(Decimal.text(report.duration.seconds, decimals: 1)) s since the first datagram.",
            body: [overview] + directions)
    }

    private var overview: HTML {
        var run = PageTable(["Relay", ""], holdsWords: true)
        for fact in facts { run.add([fact.name, fact.value]) }
        let tables = summary.pairs.map { pair in
            var table = PageTable(["\(pair.listen) → \(pair.to)", "forward", "return"])
            for row in summary.rows(pair) {
                let isDetail = row.name.hasPrefix("  ")
                table.add([row.name.trimmingPrefix("  ").description, row.forward, row.back], isDetail: isDetail)
            }
            return table.html
        }
        return .element("section", [:], .element("div", ["class": "columns"], tables + [run.html]))
    }

    private var directions: [HTML] {
        zip(summary.pairs, report.meters).flatMap { pair, meters in
            [
                RelayPlots(meters.forward, over: report.duration.seconds)
                    .section("Forward: \(pair.listen) → \(pair.to)", network: pair.forward.network),
                RelayPlots(meters.back, over: report.duration.seconds)
                    .section("Return: \(pair.to) → \(pair.listen)", network: pair.return.network),
            ]
        }
    }
}
