import Foundation
import RillCongestion
import RillPages
import RillTestSupport
import Testing

/// Rill's estimate beside plain Google congestion control and fixed bitrates, on wireless-like traces.
@Suite struct TraceComparisonTests {
    /// `RILL_PICTURES=FOLDER Scripts/test RillCongestion --all --filter TraceComparison` draws `traces.html` and a
    /// picture of each plot there.
    private static let folder = ProcessInfo.processInfo.environment["RILL_PICTURES"]

    @Test(arguments: WirelessModel.allCases)
    func `On wireless links the estimate uses more than plain GCC does, and its queue stays short`(model: WirelessModel)
        throws
    {
        for targets in TraceTargets.all {
            let comparison = try TraceComparison(model, targets, seeds: 1...3, contenders: [.rill, .google(25)])
            #expect(comparison.waitMisses(.rill) == 0, "\(comparison.table)")
            #expect(comparison.meanUtilization(.rill) >= comparison.meanUtilization(.google(25)), "\(comparison.table)")
        }
    }

    /// Both queues, on 30 traces of each model.
    @Test(.enabled(if: isLongRun)) func `On 30 traces of each model`() async throws {
        let comparisons = try await withThrowingTaskGroup { group in
            for (index, model) in WirelessModel.allCases.enumerated() {
                for (queue, targets) in TraceTargets.all.enumerated() {
                    group.addTask {
                        (
                            2 * index + queue,
                            try TraceComparison(
                                model, targets, seeds: 1...30, contenders: TraceComparison.Contender.all)
                        )
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
        for comparison in comparisons {
            note(comparison.table + "\n")
            #expect(comparison.waitMisses(.rill) == 0, "\(comparison.title)")
            #expect(comparison.meanUtilization(.rill) >= comparison.meanUtilization(.google(25)), "\(comparison.title)")
            if let most = comparison.targets.medianWait {
                #expect(try #require(comparison.row(.rill)).values(\.wait).median <= most, "\(comparison.title)")
            }
        }
        try draw(comparisons)
    }

    private func draw(_ comparisons: [TraceComparison]) throws {
        guard let folder = Self.folder else { return }
        let page = Page(
            title: "Wireless-like traces", subtitle: "30 traces of each model, 60 to 120 s, at most 2.5 Mbit/s",
            body: comparisons.map(\.plot.html))
        try write(page.bytes, to: "\(folder)/traces.html")
        let names = ["lte", "lte-bytes", "slow-lte", "slow-lte-bytes", "wifi", "wifi-bytes"]
        for (comparison, name) in zip(comparisons, names) {
            try write(Array(comparison.plot.svg().utf8), to: "\(folder)/traces-\(name).svg")
        }
    }
}
