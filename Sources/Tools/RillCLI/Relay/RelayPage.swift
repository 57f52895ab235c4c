import Rill
import RillCore
import RillLab
import RillLink

/// The page of a relay: for each direction rates, delays, losses, queue and timer lateness over time.
struct RelayPage: ReportPage {
    let kind = "relay"
    let title = "Relay"
    let facts: [[String]]
    let report: Report

    struct Report: Encodable {
        let duration: Double
        let pairs: [Pair]
    }

    struct Pair: Encodable {
        let title: String
        /// The rows of the table: name, forward and return.
        let rows: [[String]]
        let directions: [Direction]
    }

    /// One direction of a pair.
    struct Direction: Encodable {
        let title, network: String
        let sent: Int
        let timeline: PageTimeline
        let scheduledDelay, actualDelay, lateness: Times

        init(_ title: String, _ network: LinkSettings, _ meter: RelayMeter) {
            (self.title, self.network, sent) = (title, network.description, meter.link.sent)
            timeline = PageTimeline(meter.intervals.length, meter.intervals.intervals)
            scheduledDelay = Times(meter.scheduledDelay)
            actualDelay = Times(meter.actualDelay)
            lateness = Times(meter.lateness)
        }
    }

    /// A histogram: percentiles in milliseconds, buckets in seconds.
    struct Times: Encodable {
        let summary: Percentiles?
        let buckets: [Bucket]

        struct Bucket: Encodable {
            let range: ClosedRange<Double>
            let count: Int
        }

        init(_ times: DurationHistogram) {
            summary = times.percentiles
            buckets = times.buckets.map { Bucket(range: $0.range, count: $0.count) }
        }
    }

    init(_ relay: RelayReport, _ summary: RelaySummary, facts: [[String]]) {
        self.facts = facts
        let pairs = summary.pairs.enumerated().map { index, pair in
            let (meters, settings) = (relay.meters[index], relay.settings.pairs[index])
            let (there, back) = ("\(pair.listen) → \(pair.to)", "\(pair.to) → \(pair.listen)")
            return Pair(
                title: there, rows: summary.rows(pair),
                directions: [
                    Direction("Forward: \(there)", settings.network, meters.forward),
                    Direction("Return: \(back)", settings.returnNetwork, meters.back),
                ])
        }
        report = Report(duration: relay.duration.seconds, pairs: pairs)
    }
}
