import RillPages

/// What `rill bench scale` found out, as a part of the page: CPU and memory against the number of streams.
struct ScaleSection {
    private let result: ScaleResult

    init(_ result: ScaleResult) {
        self.result = result
    }

    var html: [HTML] {
        result.groups.map { group in
            .section(
                "Scale: \(group.name)",
                group.ladders.flatMap(ladder) + [model(group), calibration(group)])
        } + [.paragraph(ScaleResult.explanation, isNote: true)]
    }

    private func ladder(_ ladder: ScaleResult.Ladder) -> [HTML] {
        [
            .paragraph(ladder.heading + "."), cpuPlot(ladder).html, memoryPlot(ladder).html, table(ladder),
        ]
    }

    private func cpuPlot(_ ladder: ScaleResult.Ladder) -> Plot {
        let most = Double(result.threads) * 100
        func point(_ step: ScaleResult.Step) -> Mark.Point {
            Mark.Point(Double(step.count), step.measurement.leastCPU * 100)
        }
        let measured = ladder.steps.map(point)
        let rounds = ladder.steps.compactMap { step in
            step.measurement.rounds.map { rounds in
                let cpu = rounds.map { $0.cpu * 100 }
                return Mark.Range(Double(step.count), cpu.min() ?? .nan, cpu.max() ?? .nan)
            }
        }
        let predicted = ladder.steps.compactMap { step in
            step.predictedCPU.map { Mark.Point(Double(step.count), min($0 * 100, most)) }
        }
        let held = ladder.steps.filter(\.measurement.isRealTime).map(point)
        let lost = ladder.steps.filter { !$0.measurement.isRealTime }.map(point)
        var marks: [Mark] = [
            .line("predicted", .grey, predicted, isDashed: true), .line("measured, at least", .blue, measured),
            .scatter("in real time", .blue, held),
        ]
        if !lost.isEmpty { marks.append(.scatter("real time lost", .red, lost)) }
        if !rounds.isEmpty { marks.insert(.band("all rounds", .blue, rounds), at: 0) }
        let highest = (measured + predicted).map(\.y) + rounds.map(\.high)
        var plot = Plot(
            ladder.title,
            caption:
                "CPU of the process, where 100 % is one of \(result.threads) hardware threads. Red: pictures are left "
                + "out or late. Dashed: what the model says, which was fitted to other loads.",
            x: growingAxis(ladder),
            y: Axis("CPU", unit: "% of a thread", holding: highest, atMost: max(most, highest.max() ?? most)), marks)
        plot.height = 180
        return plot
    }

    private func memoryPlot(_ ladder: ScaleResult.Ladder) -> Plot {
        let points = ladder.steps.compactMap { step in
            step.measurement.memoryBytes.map { Mark.Point(Double(step.count), Double($0) / 1_048_576) }
        }
        let predicted = ladder.steps.compactMap { step in
            step.predictedBytes.map { Mark.Point(Double(step.count), $0 / 1_048_576) }
        }
        var plot = Plot(
            "Memory of the same process", caption: "The most that was resident at once. Dashed: what the model says.",
            x: axis(ladder), y: Axis("memory", unit: "MiB", holding: (points + predicted).map(\.y)),
            [
                .line("predicted", .grey, predicted, isDashed: true), .line("measured", .blue, points),
                .scatter("measured", .blue, points),
            ])
        plot.height = 100
        return plot
    }

    /// Up to a dozen one by one; what grows by doubling along logarithms.
    private func growingAxis(_ ladder: ScaleResult.Ladder) -> Axis {
        let counts = ladder.steps.map { Double($0.count) }
        guard let least = counts.min(), let most = counts.max(), most > 40 else { return axis(ladder) }
        return .logarithmic(ladder.counted, least...most)
    }

    private func axis(_ ladder: ScaleResult.Ladder) -> Axis {
        .count(ladder.counted, 0...Double(ladder.steps.map(\.count).max() ?? 1))
    }

    private func table(_ ladder: ScaleResult.Ladder) -> HTML {
        var table = PageTable([ladder.counted] + ScaleResult.Step.columns)
        for step in ladder.steps { table.add(step.cells) }
        return table.html
    }

    private func model(_ group: ScaleResult.Group) -> HTML {
        var table = PageTable(["the model of \(group.name)"] + ScaleResult.Group.modelColumns)
        for row in group.modelRows { table.add(row) }
        return table.html
    }

    private func calibration(_ group: ScaleResult.Group) -> HTML {
        var table = PageTable(["fitted to", "CPU, at least", "by the model"])
        for load in group.calibration {
            let measurement = load.measurement
            let modelled = group.model.cpu(of: measurement.load, feederCPU: measurement.feederCPU)
            table.add([
                load.name, Decimal.percent(measurement.leastCPU),
                modelled.isFinite ? Decimal.percent(modelled) : "too much",
            ])
        }
        return table.html
    }
}
