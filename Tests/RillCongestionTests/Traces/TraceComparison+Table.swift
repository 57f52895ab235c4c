import Foundation

extension TraceComparison {
    /// The figures as an aligned table: medians of the traces, with the worst one in brackets.
    var table: String {
        var lines = [
            [
                "", "utilization", "wait mean, ms", "p95, ms", "p95 without cuts, ms", "loss, %", "wait too long",
            ]
        ]
        for row in rows {
            lines.append([
                row.contender.name, cell(row, \.utilization, decimals: 2, isGoodWhenHigh: true),
                cell(row, \.meanWait, decimals: 0), cell(row, \.wait, decimals: 0), cell(row, \.calmWait, decimals: 0),
                cell(row, \.lossPercent, decimals: 1), "\(waitMisses(row.contender)) of \(row.figures.count)",
            ])
        }
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let body = lines.map { line in
            zip(line, widths).enumerated().map { index, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }
        return ([title] + body + [summary]).joined(separator: "\n")
    }

    /// The model and the queue.
    var title: String { "\(model.rawValue), queue of \(targets.queue)" }

    private var summary: String {
        [Contender.google(25), .google(11)].map { contender in
            let misses = utilizationMisses(against: contender)
            let worst = String(format: "%.3f", max(0, misses.worst))
            return "uses less than \(contender.name) on \(misses.count) traces, by \(worst) at most"
        }.joined(separator: "; ")
    }

    private func cell(
        _ row: Row, _ path: KeyPath<TraceFigures, Double>, decimals: Int, isGoodWhenHigh: Bool = false
    ) -> String {
        let values = row.values(path)
        let worst = isGoodWhenHigh ? values.min() : values.max()
        return [values.median, worst ?? .nan].map { String(format: "%.\(decimals)f", $0) }.joined(separator: " [") + "]"
    }
}

extension TraceFigures {
    fileprivate var lossPercent: Double { 100 * loss }
}
