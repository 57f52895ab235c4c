import Rill
import RillCore
import RillLab
import RillLink
import RillThreads

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
        /// The settings of each link, with its seed: with these settings, the same arrivals have the same outcomes.
        var forward: JoinedObject<[String: String], RelayMeter>
        var `return`: JoinedObject<[String: String], RelayMeter>
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
                    forward: JoinedObject(
                        first: ["network": pair.network.description], second: report.meters[index].forward),
                    return: JoinedObject(
                        first: ["network": pair.returnNetwork.description], second: report.meters[index].back)))
        }
    }

    /// Whether no datagram arrived.
    var isEmpty: Bool { pairs.allSatisfy { $0.forward.second.came == 0 && $0.return.second.came == 0 } }
}

extension RelayMeter {
    /// The number of datagrams that arrived, whatever their outcome.
    fileprivate var came: Int { link.sent + withoutPeer + fromTooManySenders + fromUnknownSenders }
}

extension RelaySummary {
    /// The final table: a column for each direction of each pair.
    var text: String {
        if isEmpty { return "no datagram arrived" }
        var lines: [String] = []
        for (index, pair) in pairs.enumerated() {
            var table = TextTable(["\(pair.listen) → \(pair.to)", "forward", "return"])
            for row in rows(pair) { table.add(row) }
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

    /// The rows of the tables, as text and on the page: name, forward and return.
    func rows(_ pair: Pair) -> [[String]] {
        var rows: [[String]] = []
        let ends = [pair.forward.second, pair.return.second]
        func add(_ name: String, _ value: (RelayMeter) -> String) { rows.append([name] + ends.map(value)) }
        func addIfAny(_ name: String, _ value: (RelayMeter) -> Int) {
            if ends.contains(where: { value($0) != 0 }) { add(name) { "\(value($0))" } }
        }
        func addTimes(_ name: String, _ times: (RelayMeter) -> DurationHistogram) {
            add("\(name), median, ms") { Decimal.text(times($0).percentile(50), decimals: 2) }
            add("  99 %") { Decimal.text(times($0).percentile(99), decimals: 2) }
            add("  maximum") { Decimal.text(times($0).maximum, decimals: 2) }
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
        rows += background(ends, over: seconds)
        if ends.contains(where: { $0.queueWait.count > 0 }) { addTimes("wait in the queue") { $0.queueWait } }
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
    private func background(_ ends: [RelayMeter], over seconds: Double) -> [[String]] {
        func rate(_ byteCount: Int?) -> String {
            Decimal.text(byteCount.map { Double($0) * 8 / 1000 / seconds }, decimals: 1)
        }
        func count(_ count: Int?) -> String { count.map { "\($0)" } ?? "-" }
        let bottlenecks = ends.map(\.bottleneck)
        var rows: [[String]] = []
        if bottlenecks.contains(where: { $0?.crossSent ?? 0 > 0 }) {
            rows.append(["cross traffic, kbit/s"] + bottlenecks.map { rate($0?.crossBytes) })
            rows.append(["  dropped"] + bottlenecks.map { count($0?.crossDropped) })
        }
        let flows = bottlenecks.map { $0?.cubicFlows ?? [] }
        for index in 0..<(flows.map(\.count).max() ?? 0) {
            let pair = flows.map { index < $0.count ? $0[index] : nil }
            rows.append(["CUBIC flow \(index + 1), kbit/s"] + pair.map { rate($0?.acceptedBytes) })
            rows.append(["  segments dropped"] + pair.map { count($0?.dropped) })
        }
        return rows
    }
}

/// Follows a relay on the terminal to its end: a status line that is updated each second.
struct RelayMonitor {
    private let line = StatusLine()
    private var last = RelayProgress()

    /// Waits until the time is over, the relay has failed, or the user interrupts it.
    mutating func follow(_ relay: LiveRelay, limit: MediaDuration?, isInterrupted: () -> Bool) {
        let clock = LiveClock()
        let end = limit.map { MediaTime.zero + $0 } ?? .distantFuture
        var nextLine = MediaTime.zero + .seconds(1)
        while clock.now < end, relay.failure == nil, !isInterrupted() {
            clock.sleep(until: min(clock.now + .milliseconds(50), end))
            guard clock.now >= nextLine else { continue }
            nextLine += .seconds(1)
            let progress = relay.progress
            line.show(RelayMonitor.parts(progress, since: last))
            last = progress
        }
        line.clear()
    }

    /// `12 s  forward 2000/s 1920 kbit/s lost 2.1 %  return 50/s 21 kbit/s lost 0.0 %  in flight 81  late 0.09 ms (99
    /// %)`
    static func parts(_ now: RelayProgress, since last: RelayProgress) -> [String] {
        let length = (now.duration - last.duration).seconds
        guard now.duration > .zero, length > 0 else { return ["no datagram yet"] }
        func figures(_ direction: KeyPath<RelayProgress, RelayProgress.Direction>) -> String {
            let (new, old) = (now[keyPath: direction], last[keyPath: direction])
            let (came, lost) = (new.came - old.came, new.lost - old.lost)
            return "\(Decimal.text(Double(came) / length, decimals: 0))/s "
                + "\(Decimal.text(Double(new.cameBytes - old.cameBytes) * 8 / 1000 / length, decimals: 0)) kbit/s "
                + "lost \(Decimal.percent(came == 0 ? 0 : Double(lost) / Double(came)))"
        }
        return [
            "\(Decimal.text(now.duration.seconds, decimals: 0)) s", "forward \(figures(\.forward))",
            "return \(figures(\.back))", "in flight \(now.onTheWay)",
            "late \(Decimal.text(now.lateness, decimals: 2)) ms (99 %)",
        ]
    }
}
