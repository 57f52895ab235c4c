import RillPages

/// Times as people read them.
enum LatencyText {
    /// `0.41`, as the tables have it.
    static func milliseconds(_ nanoseconds: Int64) -> String { Decimal.text(Double(nanoseconds) / 1e6, decimals: 2) }

    /// The columns of every table of latencies.
    static let columns = ["frames", "median", "90 %", "95 %", "99 %", "99.9 %", "max"]

    static func cells(_ distribution: Distribution) -> [String] {
        let values = [
            distribution.median, distribution.percentile90, distribution.percentile95, distribution.percentile99,
            distribution.percentile999, distribution.maximum,
        ]
        return ["\(distribution.count)"] + values.map(milliseconds)
    }
}

extension LatencyResult {
    static let title = "What a live call's frames go through"

    /// The result as tables for people.
    var text: String {
        let tables = conditions.flatMap { condition in
            [condition.heading, condition.latencyTable.text, condition.countTable.text]
        }
        return (["latency: \(LatencyResult.title)"] + tables + explanation).joined(separator: "\n\n")
    }
}

extension LatencyResult.Condition {
    /// What else the machine did: an idle machine that was none shows here.
    var heading: String {
        guard let others else { return "\(name): \(load)." }
        let threads = Decimal.text(others.busy, decimals: 2)
        return "\(name): \(load). Others took \(threads) hardware threads meanwhile, the hypervisor "
            + "\(Decimal.text(others.stolen, decimals: 2))."
    }

    /// Rows of a table, those of each layer by themselves.
    struct Group {
        var title: String
        var rows: [(name: String, depth: Int, distribution: Distribution)]
    }

    /// The machine, the capture thread, then each layer.
    var groups: [Group] {
        let bare = machine.map { machine in
            Group(
                title: "the machine, without a call",
                rows: [
                    ("a thread that only sleeps, awake", 0, machine.woken),
                    ("a second one, woken by the first", 0, machine.handed),
                ])
        }
        let capture = lateness.map { Group(title: "capture", rows: [("awake, after the frame was due", 0, $0)]) }
        return [bare, capture].compactMap(\.self)
            + layers.map { layer in
                Group(
                    title: layer.name,
                    rows: LatencyMeasure.allCases.compactMap { measure in
                        layer.latency(measure).map { (measure.title, measure.depth, $0) }
                    })
            }
    }

    fileprivate var latencyTable: TextTable {
        var table = TextTable(["\(name), ms"] + LatencyText.columns)
        for group in groups {
            table.add([group.title])
            for row in group.rows {
                let space = String(repeating: "  ", count: row.depth + 1)
                table.add([space + row.name] + LatencyText.cells(row.distribution))
            }
        }
        return table
    }

    fileprivate var countTable: TextTable {
        var table = TextTable(["\(name), frames and packets"] + layers.map(\.name))
        for row in counts { table.add([row.name] + row.values.map { "\($0)" }) }
        return table
    }

    /// What became of frames and packets, in the order of the way: a value for each layer.
    var counts: [(name: String, values: [Int])] {
        func row(_ title: String, _ value: (LatencyResult.Layer) -> Int) -> (name: String, values: [Int]) {
            (title, layers.map(value))
        }
        func row(_ title: String, _ count: String) -> (name: String, values: [Int]) { row(title) { $0.count(count) } }
        return [
            row("frames due", \.framesDue), row("  gave way to a newer one", "encoderBusy"),
            row("  left out by the rate control", "rateControl"), row("  spared for want of time", \.framesSpared),
            row("frames coded", "coded"), row("packets sent", "packetsSent"),
            row("packets received", "packetsReceived"), row("frames decoded", "decoded"), row("frames shown", "shown"),
            row("frames lost", \.framesLost), row("datagrams lost", \.packetsLost),
            row("changes of size, for want of time", "sizeChanges"),
        ]
    }
}
