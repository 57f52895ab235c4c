import Rill
import RillCore

/// The page of a call: figures over time, events and results.
struct CallPage: ReportPage {
    let kind = "call"
    let title: String
    let facts: [[String]]
    let way: CallLog.Way
    let layers: [String]
    /// A row of each figure, with a cell for each layer.
    let figures: [[String]]
    let report: CallLog.Summary

    init(_ title: String, _ log: CallLog, facts: [(name: String, value: String)]) {
        self.title = title
        self.facts = pageFacts(facts)
        (way, layers, report) = (log.way, log.layers, log.summary)
        figures = log.figures.map { [$0.name] + $0.values }
    }
}
