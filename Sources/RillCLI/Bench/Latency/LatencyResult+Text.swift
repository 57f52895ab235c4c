import RillPages

/// Times as people read them.
enum LatencyText {
    /// `0.41`, from 10 ms on `12.3`.
    static func milliseconds(_ nanoseconds: Int64) -> String {
        let value = Double(nanoseconds) / 1e6
        return Decimal.text(value, decimals: value < 10 ? 3 : value < 100 ? 2 : 1)
    }

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
        let tables = conditions.map { condition in
            "\(condition.name): \(condition.load)\n\n\(condition.latencyTable.text)\n\n\(condition.countTable.text)"
        }
        return (["latency: \(LatencyResult.title)"] + verdicts.map(\.text) + tables + explanation)
            .joined(separator: "\n\n")
    }
}

extension LatencyResult.Condition {
    /// Rows of a table: what, and how long; the layers one after the other.
    var rows: [(name: String, depth: Int, distribution: Distribution)] {
        var rows: [(name: String, depth: Int, distribution: Distribution)] = []
        if let lateness { rows.append(("capture thread awake, after the frame was due", 0, lateness)) }
        for layer in layers {
            for measure in LatencyMeasure.allCases {
                guard let distribution = layer.latency(measure) else { continue }
                rows.append(("\(layer.name): \(measure.title)", measure.depth, distribution))
            }
        }
        return rows
    }

    fileprivate var latencyTable: TextTable {
        var table = TextTable(["\(name), ms"] + LatencyText.columns)
        for row in rows {
            table.add([String(repeating: "  ", count: row.depth) + row.name] + LatencyText.cells(row.distribution))
        }
        return table
    }

    fileprivate var countTable: TextTable {
        var table = TextTable(["\(name), frames and packets"] + layers.map(\.name))
        for row in counts { table.add([row.name] + row.values.map { "\($0)" }) }
        return table
    }

    /// What became of frames and packets: a value for each layer.
    var counts: [(name: String, values: [Int])] {
        func row(_ title: String, _ value: (LatencyResult.Layer) -> Int) -> (name: String, values: [Int]) {
            (title, layers.map(value))
        }
        let names = [
            ("encoderBusy", "gave way to a newer one"), ("rateControl", "left out by the rate control"),
            ("unchanged", "unchanged"), ("coded", "coded"), ("packetsSent", "packets sent"),
            ("packetsReceived", "packets received"), ("decoded", "decoded"), ("shown", "shown"),
            ("sizeChanges", "changes of size, for want of time"),
        ]
        return [row("frames due", \.framesDue)] + names.map { name in row(name.1) { $0.count(name.0) } }
            + [row("frames lost", \.framesLost), row("datagrams lost", \.packetsLost)]
    }
}
