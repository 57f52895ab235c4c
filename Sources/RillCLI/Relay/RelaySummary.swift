import Rill
import RillCore
import RillLab
import RillLink
import RillPages

/// What a relay has done, as a machine is told: times in milliseconds, the duration in seconds.
struct RelaySummary: Encodable {
    /// Since the first datagram.
    var duration: Double
    var pairs: [Pair]
    /// Nobody listened where a datagram was sent: what came back by ICMP.
    var refusedByICMP: Int
    /// Lines of the log that were dropped because the disk was too slow.
    var logLinesDropped: Int?

    struct Pair: Encodable {
        var listen: String
        var to: String
        /// With NAT: senders that were not idle at the end.
        var senders: Int?
        var forward: Direction
        var `return`: Direction
    }

    struct Direction: Encodable {
        /// The settings of the link, with the seed that it had: played through them, the same arrivals have the same fates.
        var network: String
        var link: LinkStatistics
        var withoutPeer: Int
        var fromTooManySenders: Int
        var fromStrangers: Int
        var left: Int
        var leftBytes: Int
        var reordered: Int
        var bufferFull: Int
        var sendFailed: Int
        /// On their way: now, or when the relay ended.
        var onTheWay: Int
        var scheduledDelay: Times?
        var actualDelay: Times?
        /// How late the relay's own timer was.
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

    /// Whether no datagram came.
    var isEmpty: Bool { pairs.allSatisfy { $0.forward.came == 0 && $0.return.came == 0 } }
}

extension RelaySummary.Direction {
    init(_ network: LinkSettings, _ meter: RelayMeter) {
        self.network = network.description
        link = meter.link
        withoutPeer = meter.withoutPeer
        fromTooManySenders = meter.fromTooManySenders
        fromStrangers = meter.fromStrangers
        left = meter.left
        leftBytes = meter.leftBytes
        reordered = meter.reordered
        bufferFull = meter.bufferFull
        sendFailed = meter.sendFailed
        onTheWay = meter.onTheWay
        scheduledDelay = RelaySummary.Times(meter.scheduledDelay)
        actualDelay = RelaySummary.Times(meter.actualDelay)
        lateness = RelaySummary.Times(meter.lateness)
    }

    /// All that came, whatever became of it.
    var came: Int { link.sent + withoutPeer + fromTooManySenders + fromStrangers }

    /// Of what was sent over the link, the share that did not get through it.
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
    /// The table at the end: a column for each direction of each pair.
    var text: String {
        if isEmpty { return "no datagram came" }
        var lines: [String] = []
        for (index, pair) in pairs.enumerated() {
            var table = TextTable(["\(pair.listen) → \(pair.to)", "forward", "return"])
            for row in rows(pair) { table.add([row.name, row.forward, row.back]) }
            lines += index > 0 ? ["", table.text] : [table.text]
        }
        lines.append("")
        lines.append("after \(Decimal.text(duration, decimals: 1)) s")
        if refusedByICMP > 0 { lines.append("nobody listened (ICMP): \(refusedByICMP) times") }
        if let logLinesDropped, logLinesDropped > 0 {
            lines.append("the log lacks \(logLinesDropped) lines: the disk was too slow")
        }
        return lines.joined(separator: "\n")
    }

    /// What the tables of text and page have in common.
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
            add("  longest") { Decimal.text(value($0)?.maximum, decimals: 2) }
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
        addIfAny("  after a later one") { $0.reordered }
        addIfAny("on their way at the end") { $0.onTheWay }
        addTimes("delay as scheduled") { $0.scheduledDelay }
        addTimes("delay as it was") { $0.actualDelay }
        addTimes("own timer late") { $0.lateness }
        addIfAny("not relayed: nobody to send to") { $0.withoutPeer }
        addIfAny("not relayed: too many senders") { $0.fromTooManySenders }
        addIfAny("not relayed: from a stranger") { $0.fromStrangers }
        addIfAny("not taken by the system") { $0.bufferFull + $0.sendFailed }
        return rows
    }
}
