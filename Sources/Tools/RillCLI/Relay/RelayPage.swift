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

        init(_ title: String, _ network: String, _ meter: RelayMeter) {
            (self.title, self.network, sent) = (title, network, meter.link.sent)
            timeline = PageTimeline(
                meter.timeline.length, meter.timeline.intervals,
                counts: ["came": \.came, "lost": \.lost, "dropped": \.dropped],
                bytes: ["cameBytes": \.cameBytes, "leftBytes": \.leftBytes],
                spreads: [
                    "scheduledDelay": \.scheduledDelay, "actualDelay": \.actualDelay, "lateness": \.lateness,
                    "onTheWay": \.onTheWay,
                ])
            scheduledDelay = Times(meter.scheduledDelay)
            actualDelay = Times(meter.actualDelay)
            lateness = Times(meter.lateness)
        }
    }

    /// A histogram: percentiles in milliseconds, buckets in seconds.
    struct Times: Encodable {
        let summary: RelaySummary.Times?
        let buckets: [Bucket]

        struct Bucket: Encodable {
            let range: ClosedRange<Double>
            let count: Int
        }

        init(_ times: RelayTimes) {
            summary = RelaySummary.Times(times)
            buckets = times.buckets.map { Bucket(range: $0.range, count: $0.count) }
        }
    }

    init(_ relay: RelayReport, _ summary: RelaySummary, facts: [(name: String, value: String)]) {
        self.facts = pageFacts(facts)
        let pairs = zip(summary.pairs, relay.meters).map { pair, meters in
            let (there, back) = ("\(pair.listen) → \(pair.to)", "\(pair.to) → \(pair.listen)")
            return Pair(
                title: there, rows: summary.rows(pair).map { [$0.name, $0.forward, $0.back] },
                directions: [
                    Direction("Forward: \(there)", pair.forward.network, meters.forward),
                    Direction("Return: \(back)", pair.return.network, meters.back),
                ])
        }
        report = Report(duration: relay.duration.seconds, pairs: pairs)
    }
}
