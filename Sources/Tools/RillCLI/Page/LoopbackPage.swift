import Rill
import RillCore
import RillLab

/// The page of a loopback session: the most important figures, plots over time, pictures around freezes, and all
/// statistics.
struct LoopbackPage: ReportPage {
    let kind = "loopback"
    let title = "Loopback session"
    let facts: [[String]]
    let report: LoopbackReport
    /// In the order of the layers.
    let timelines: [Layer]
    /// What congestion control did; empty without.
    let network: [NetworkSample]

    init(_ report: LoopbackReport, of loopback: Loopback, facts: [[String]]) throws {
        self.facts = facts
        self.report = report
        timelines = try loopback.timelines().map(Layer.init)
        network = loopback.networkTimeline
    }

    /// The timeline of a layer.
    struct Layer: Encodable {
        private let rid: String
        private let timeline: PageTimeline
        private let freezes: [Freeze]
        private let omittedFreezes: Int
        private let pictured: [Pictured]
        private let unended: Stretch?
        private let lastShown: Double?

        private struct Pictured: Encodable {
            let freeze: Freeze
            let before, after: PagePicture
        }

        private struct Stretch: Encodable { let start, end: MediaTime }

        init(_ layer: LayerTimeline) {
            rid = layer.rid.description
            timeline = PageTimeline(layer.intervalLength, layer.intervals)
            freezes = layer.freezes
            omittedFreezes = layer.omittedFreezes
            pictured = layer.picturedFreezes.map {
                Pictured(freeze: $0.freeze, before: PagePicture($0.before), after: PagePicture($0.after))
            }
            unended = layer.unendedFreeze.map { Stretch(start: $0.start, end: $0.end) }
            lastShown = layer.lastShown?.seconds
        }
    }
}
