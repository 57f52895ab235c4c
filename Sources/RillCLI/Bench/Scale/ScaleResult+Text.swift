import Rill
import RillCore
import RillPages

extension ScaleResult {
    /// Tables for people.
    var text: String {
        var parts = ["scale: how many streams one process carries in real time, on \(threads) hardware threads"]
        for group in groups { parts += group.text }
        parts.append(ScaleResult.explanation)
        return parts.joined(separator: "\n\n")
    }

    static let explanation =
        "CPU is of one hardware thread: 100 % is one that never rests. Real time: at least 99 of 100 pictures are coded, or "
        + "shown within a thirtieth of a second after their last packet. The model is fitted to loads of one kind of stream "
        + "each, and predicts the loads above, which it has not seen. It foretells the least CPU of the rounds: who else is on the "
        + "machine can only add to it. Seconds are taken while nothing counts instructions, "
        + "which would cost some. Memory of senders is without the clip that stands for "
        + "their cameras. Without adaptation, which would make pictures smaller in the place of leaving some out."

    /// Promises, as far as they were measured.
    var bars: [Bar] {
        let steps = groups.flatMap { group in group.ladders.map { (group.name, $0) } }
        var bars: [Bar] = []
        for (name, ladder) in steps {
            if name == "receivers", let step = ladder.step(of: ScaleResult.conference), step.measurement.isRealTime {
                bars.append(
                    Bar(
                        name: "\(step.count) participants received in real time, CPU",
                        figure: step.measurement.cpu * 100, limit: 15, unit: "% of a core"))
            }
            for quantity in ScaleResult.predictions {
                guard let error = ladder.largest(quantity.error) else { continue }
                bars.append(
                    Bar(
                        name: "\(ladder.counted), how far the model is off at most: \(quantity.name) (\(ladder.title))",
                        figure: error.magnitude * 100, limit: 10, unit: "%",
                        note: quantity.spread(ladder.steps) ?? ""))
            }
        }
        return bars
    }

    /// What the model predicts.
    private static let predictions: [Prediction] = [
        Prediction(name: "CPU time", error: \.error, spread: \.cpuSpread),
        Prediction(name: "instructions", error: \.instructionsError, spread: \.instructionsSpread),
        Prediction(name: "memory", error: \.memoryError, spread: { _ in nil }),
    ]

    private struct Prediction {
        var name: String
        var error: @Sendable (Step) -> Double?
        var spread: @Sendable (LoadMeasurement) -> Double?

        /// How far the same load was from itself.
        func spread(_ steps: [Step]) -> String? {
            let spreads = steps.map(\.measurement).filter(\.isRealTime).compactMap(spread)
            guard let most = spreads.max() else { return nil }
            return "the same load spreads over \(Decimal.percent(most)) of itself at most, from round to round"
        }
    }

    /// Participants of a conference that is promised to take little.
    static let conference = 17
}

extension ScaleResult.Group {
    fileprivate var text: [String] {
        [modelTable.text, calibrationTable.text] + ladders.flatMap { [$0.heading, table($0).text] }
    }

    private var modelTable: TextTable {
        var table = TextTable(["\(name), the model"] + ScaleResult.Group.modelColumns)
        for row in modelRows { table.add(row) }
        return table
    }

    private var calibrationTable: TextTable {
        var table = TextTable(["\(name), fitted to", "CPU, at least", "by the model"])
        for load in calibration {
            table.add([
                load.name, percent(load.measurement.leastCPU),
                percent(model.cpu(of: load.measurement.load, feederCPU: load.measurement.feederCPU)),
            ])
        }
        return table
    }

    private func table(_ ladder: ScaleResult.Ladder) -> TextTable {
        let columns = [ladder.counted] + ScaleResult.Step.columns
        var table = TextTable(columns, textColumns: [columns.count - 1])
        for step in ladder.steps { table.add(step.cells) }
        return table
    }
}

extension ScaleResult.Ladder {
    /// What it came to.
    var heading: String {
        let held = capacity.map { "\($0)" } ?? "none"
        let predicted = predictedCapacity.map { "\($0)" } ?? "none"
        return "\(title): \(held) \(counted) in real time, of those measured \(predicted) predicted"
    }
}

extension ScaleResult.Step {
    /// What stands in a row behind the count.
    static let columns = [
        "CPU", "at least", "predicted", "off by", "M instructions/s", "off by", "memory", "off by", "in time",
        "real time",
    ]

    /// A row: the count, and ``columns``.
    var cells: [String] {
        [
            "\(count)", measurement.cpuText, percent(measurement.leastCPU), predictedCPU.map(percent) ?? "too much",
            offText(error),
            measurement.instructions.map { Decimal.text($0 / 1e6, decimals: 0) } ?? "–", offText(instructionsError),
            Measure.memory.text(measurement.memoryBytes.map(Double.init)), offText(memoryError),
            Decimal.percent(measurement.inTime), measurement.isRealTime ? "yes" : "no",
        ]
    }

    private func offText(_ error: Double?) -> String {
        error.map { ($0 < 0 ? "−" : "+") + Decimal.percent($0.magnitude) } ?? ""
    }
}

extension ScaleResult.Group {
    static let modelColumns = ["CPU time", "instructions", "memory"]

    /// What the model found: what costs, and how much of each of ``modelColumns``.
    var modelRows: [[String]] {
        func row(
            _ name: String, _ milliseconds: Double?, _ work: KeyPath<LoadCosts, Double>,
            _ bytes: KeyPath<LoadCosts, Double>, times count: Double = 1
        ) -> [String] {
            [
                name, milliseconds.map { Decimal.text($0, decimals: 3) + " ms" } ?? "–",
                instructions.map { Decimal.text($0[keyPath: work] * count / 1e6, decimals: 3) + " M" } ?? "–",
                memory.map { Decimal.text($0[keyPath: bytes] * count / 1_048_576, decimals: 3) + " MiB" } ?? "–",
            ]
        }
        return [
            row("the process", nil, \.process, \.process),
            row("a stream at full size", model.perLayer * 1e3, \.perHighLayer, \.perHighLayer),
            row("a stream of thumbnails", model.perLayer * 1e3, \.perLowLayer, \.perLowLayer),
            row("a packet, with what is coded in it", model.perPacket * 1e3, \.perPacket, \.perPacket),
            row("a million pixels, full size", model.perHighPixel * 1e9, \.perHighPixel, \.perHighPixel, times: 1e6),
            row("a million pixels, thumbnails", model.perLowPixel * 1e9, \.perLowPixel, \.perLowPixel, times: 1e6),
            ["pixels, while all threads are busy", signed(model.sharing), "", ""],
            ["layers and packets then", signed(model.waking), "", ""],
        ]
    }

    private func signed(_ share: Double) -> String { (share < 0 ? "−" : "+") + Decimal.percent(share.magnitude) }
}

extension LoadMeasurement {
    fileprivate var cpuText: String { percent(cpu) }
}

private func percent(_ share: Double) -> String { share.isFinite ? Decimal.percent(share) : "too much" }
