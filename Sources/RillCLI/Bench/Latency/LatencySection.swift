import RillPages

/// What live calls went through, as a part of a page: the bars, histograms of each layer, and all figures.
struct LatencySection {
    let result: LatencyResult

    init(_ result: LatencyResult) {
        self.result = result
    }

    var html: HTML {
        let plots = layerNames.map(plot)
        let tables = result.conditions.flatMap { condition in [latencyTable(condition), countTable(condition)] }
        return .section(
            "Latency: what a live call's frames go through",
            plots + tables + result.explanation.map { .paragraph($0, isNote: true) })
    }

    private var layerNames: [String] { result.conditions.first?.layers.map(\.name) ?? [] }

    // MARK: Histograms

    private func plot(of layer: String) -> HTML {
        var rows: [HistogramPlot.Row] = []
        // The capture thread is the same for all layers, and stands with the first.
        if layer == layerNames.first {
            if result.conditions.contains(where: { $0.machine != nil }) {
                rows.append(row("without a call: a thread awake") { $0.machine?.woken })
                rows.append(row("and a second one, woken by it") { $0.machine?.handed })
            }
            rows.append(row("capture thread awake") { $0.lateness })
        }
        for measure in LatencyMeasure.allCases {
            var row = row(measure.title) { condition in
                condition.layers.first { $0.name == layer }?.latency(measure)
            }
            if measure == .added { row.limit = Double(LatencyResult.mostAdded) / 1e9 }
            rows.append(row)
        }
        return HistogramPlot(
            "The \(layer) layer",
            caption:
                "How many frames took how long, along a scale of logarithms; each plot is as high as its tallest bar, and "
                + "a single frame is seen. Dashed: the 99th percentile.",
            rows, span: span
        ).html
    }

    /// From the shortest time to the longest, of all layers: all plots have one axis.
    private var span: ClosedRange<Double>? {
        let buckets = result.conditions.flatMap { condition in
            condition.groups.flatMap { group in group.rows.flatMap(\.distribution.buckets) }
        }
        guard let least = buckets.map(\.from).min(), let most = buckets.map(\.to).max() else { return nil }
        return Double(least) / 1e9...Double(most) / 1e9
    }

    private func row(
        _ name: String, _ value: (LatencyResult.Condition) -> Distribution?
    ) -> HistogramPlot.Row {
        let series = result.conditions.compactMap { condition in
            value(condition).map { distribution in
                HistogramPlot.Series(
                    condition.name.rawValue, condition.name.ink,
                    distribution.buckets.map { bucket in
                        HistogramPlot.Bucket(Double(bucket.from) / 1e9...Double(bucket.to) / 1e9, count: bucket.count)
                    },
                    mark: Double(distribution.percentile99) / 1e9,
                    note: "median \(LatencyText.milliseconds(distribution.median)), "
                        + "99 % \(LatencyText.milliseconds(distribution.percentile99)), "
                        + "most \(LatencyText.milliseconds(distribution.maximum)) ms")
            }
        }
        return HistogramPlot.Row(name, series)
    }

    // MARK: Tables

    private func latencyTable(_ condition: LatencyResult.Condition) -> HTML {
        var table = PageTable(["\(condition.name), ms"] + LatencyText.columns)
        for group in condition.groups {
            table.addGroup(group.title)
            for row in group.rows {
                table.add([row.name] + LatencyText.cells(row.distribution), isDetail: row.depth > 0)
            }
        }
        return HTML([.paragraph(condition.heading), table.html])
    }

    private func countTable(_ condition: LatencyResult.Condition) -> HTML {
        var table = PageTable(["\(condition.name), frames and packets"] + condition.layers.map(\.name))
        for row in condition.counts { table.add([row.name] + row.values.map { "\($0)" }) }
        return table.html
    }
}

extension LatencyResult.Condition.Name {
    fileprivate var ink: Ink {
        switch self {
        case .idle: .blue
        case .sleepless: .green
        case .busy: .orange
        }
    }
}
