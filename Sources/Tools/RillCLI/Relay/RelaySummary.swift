import Rill
import RillCore
import RillLab
import RillLink

/// The JSON summary of a relay: times in milliseconds, the duration in seconds.
struct RelaySummary: Encodable {
    /// Since the first datagram.
    var duration: Double
    var pairs: [Pair]
    /// The number of ICMP messages that no program listens on the destination port.
    var refusedByICMP: Int
    /// The number of log lines dropped because the disk was too slow.
    var logLinesDropped: Int?

    struct Pair: Encodable {
        var listen: String
        var to: String
        /// With NAT: the number of senders that were not idle at the end.
        var senders: Int?
        var forward: Direction
        var `return`: Direction
    }

    struct Direction: Encodable {
        /// The settings of the link, with its seed: with these settings, the same arrivals have the same outcomes.
        var network: String
        var link: LinkStatistics
        /// The link's bottleneck, which all pairs may share; bytes include headers.
        var bottleneck: BottleneckStatistics?
        var withoutPeer: Int
        var fromTooManySenders: Int
        var fromUnknownSenders: Int
        var left: Int
        var leftBytes: Int
        var reordered: Int
        var bufferFull: Int
        var sendFailed: Int
        /// Datagrams in flight at the end of the relay.
        var onTheWay: Int
        /// The time in the bottleneck's queue before the own transmission.
        var queueWait: Times?
        var scheduledDelay: Times?
        var actualDelay: Times?
        /// The lateness of the relay's timer.
        var lateness: Times?
    }

    struct Times: Encodable {
        var median: Double
        var percentile95: Double
        var percentile99: Double
        var maximum: Double
    }

    init(_ report: RelayReport, logLinesDropped: Int?) {
        duration = report.duration.seconds
        refusedByICMP = report.refusedByICMP
        self.logLinesDropped = logLinesDropped
        pairs = []
        for (index, pair) in report.settings.pairs.enumerated() {
            pairs.append(
                Pair(
                    listen: "\(pair.listen)", to: "\(pair.to)",
                    senders: report.settings.usesNAT ? report.senderCounts[index] : nil,
                    forward: Direction(pair.network, report.meters[index].forward),
                    return: Direction(pair.returnNetwork, report.meters[index].back)))
        }
    }

    /// Whether no datagram arrived.
    var isEmpty: Bool { pairs.allSatisfy { $0.forward.came == 0 && $0.return.came == 0 } }
}

extension RelaySummary.Direction {
    init(_ network: LinkSettings, _ meter: RelayMeter) {
        self.network = network.description
        link = meter.link
        bottleneck = meter.bottleneck
        withoutPeer = meter.withoutPeer
        fromTooManySenders = meter.fromTooManySenders
        fromUnknownSenders = meter.fromUnknownSenders
        left = meter.left
        leftBytes = meter.leftBytes
        reordered = meter.reordered
        bufferFull = meter.bufferFull
        sendFailed = meter.sendFailed
        onTheWay = meter.onTheWay
        queueWait = RelaySummary.Times(meter.queueWait)
        scheduledDelay = RelaySummary.Times(meter.scheduledDelay)
        actualDelay = RelaySummary.Times(meter.actualDelay)
        lateness = RelaySummary.Times(meter.lateness)
    }

    /// The number of datagrams that arrived, whatever their outcome.
    var came: Int { link.sent + withoutPeer + fromTooManySenders + fromUnknownSenders }

    /// The share of the datagrams on the link that were lost.
    var lostShare: Double {
        link.sent == 0 ? 0 : Double(link.lost + link.droppedByQueue + link.refused) / Double(link.sent)
    }
}

extension RelaySummary.Times {
    init?(_ times: RelayTimes) {
        guard let median = times.percentile(50), let percentile95 = times.percentile(95),
            let percentile99 = times.percentile(99), let maximum = times.maximum
        else { return nil }
        self.init(median: median, percentile95: percentile95, percentile99: percentile99, maximum: maximum)
    }
}

extension RelaySummary {
    /// The final table: a column for each direction of each pair.
    var text: String {
        if isEmpty { return "no datagram arrived" }
        var lines: [String] = []
        for (index, pair) in pairs.enumerated() {
            var table = TextTable(["\(pair.listen) → \(pair.to)", "forward", "return"])
            for row in rows(pair) { table.add([row.name, row.forward, row.back]) }
            lines += index > 0 ? ["", table.text] : [table.text]
        }
        lines.append("")
        lines.append("after \(Decimal.text(duration, decimals: 1)) s")
        if refusedByICMP > 0 { lines.append("refused by the destination (ICMP): \(refusedByICMP) datagrams") }
        if let logLinesDropped, logLinesDropped > 0 {
            lines.append("the log lacks \(logLinesDropped) lines, because the disk was too slow")
        }
        return lines.joined(separator: "\n")
    }

    /// The rows of the tables, as text and on the page.
    func rows(_ pair: Pair) -> [(name: String, forward: String, back: String)] {
        var rows: [(name: String, forward: String, back: String)] = []
        let ends = [pair.forward, pair.return]
        func add(_ name: String, _ value: (Direction) -> String) { rows.append((name, value(ends[0]), value(ends[1]))) }
        func addIfAny(_ name: String, _ value: (Direction) -> Int) {
            if ends.contains(where: { value($0) != 0 }) { add(name) { "\(value($0))" } }
        }
        func addTimes(_ name: String, _ value: (Direction) -> Times?) {
            add("\(name), median, ms") { Decimal.text(value($0)?.median, decimals: 2) }
            add("  99 %") { Decimal.text(value($0)?.percentile99, decimals: 2) }
            add("  maximum") { Decimal.text(value($0)?.maximum, decimals: 2) }
        }
        let seconds = max(duration, 0.001)
        add("datagrams in") { "\($0.link.sent)" }
        add("  kbit/s") { Decimal.text(Double($0.link.sentBytes) * 8 / 1000 / seconds, decimals: 1) }
        add("lost") { "\($0.link.lost)" }
        addIfAny("  randomly") { $0.link.lostRandomly }
        addIfAny("  in bursts") { $0.link.lostInBursts }
        addIfAny("  in blackouts") { $0.link.lostInBlackouts }
        addIfAny("dropped by the queue") { $0.link.droppedByQueue }
        addIfAny("refused by the link: full") { $0.link.refusedAsFull }
        addIfAny("refused by the link: too large") { $0.link.refusedAsTooLarge }
        addIfAny("duplicated") { $0.link.copied }
        addIfAny("corrupted") { $0.link.corrupted }
        addIfAny("held back") { $0.link.heldBack }
        add("datagrams out") { "\($0.left)" }
        add("  kbit/s") { Decimal.text(Double($0.leftBytes) * 8 / 1000 / seconds, decimals: 1) }
        addIfAny("  reordered") { $0.reordered }
        addIfAny("in flight at the end") { $0.onTheWay }
        addBackground(ends, over: seconds, to: &rows)
        if ends.contains(where: { $0.queueWait != nil }) { addTimes("wait in the queue") { $0.queueWait } }
        addTimes("scheduled delay") { $0.scheduledDelay }
        addTimes("actual delay") { $0.actualDelay }
        addTimes("timer lateness") { $0.lateness }
        addIfAny("not relayed: no peer") { $0.withoutPeer }
        addIfAny("not relayed: too many senders") { $0.fromTooManySenders }
        addIfAny("not relayed: unknown sender") { $0.fromUnknownSenders }
        addIfAny("not accepted by the system") { $0.bufferFull + $0.sendFailed }
        return rows
    }

    /// What else has passed the bottleneck: cross traffic, and CUBIC flows.
    private func addBackground(
        _ ends: [Direction], over seconds: Double, to rows: inout [(name: String, forward: String, back: String)]
    ) {
        func rate(_ byteCount: Int?) -> String {
            Decimal.text(byteCount.map { Double($0) * 8 / 1000 / seconds }, decimals: 1)
        }
        func count(_ count: Int?) -> String { count.map { "\($0)" } ?? "-" }
        let bottlenecks = ends.map(\.bottleneck)
        if bottlenecks.contains(where: { $0?.crossSent ?? 0 > 0 }) {
            rows.append(("cross traffic, kbit/s", rate(bottlenecks[0]?.crossBytes), rate(bottlenecks[1]?.crossBytes)))
            rows.append(("  dropped", count(bottlenecks[0]?.crossDropped), count(bottlenecks[1]?.crossDropped)))
        }
        let flows = bottlenecks.map { $0?.cubicFlows ?? [] }
        for index in 0..<max(flows[0].count, flows[1].count) {
            let pair = flows.map { index < $0.count ? $0[index] : nil }
            rows.append(
                ("CUBIC flow \(index + 1), kbit/s", rate(pair[0]?.acceptedBytes), rate(pair[1]?.acceptedBytes)))
            rows.append(("  segments dropped", count(pair[0]?.dropped), count(pair[1]?.dropped)))
        }
    }
}
