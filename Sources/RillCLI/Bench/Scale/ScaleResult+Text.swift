import Rill
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
        + "each, and predicts the loads above, which it has not seen. Memory of senders is without the clip that stands for "
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
            if let error = ladder.largestError {
                bars.append(
                    Bar(
                        name: "\(ladder.counted), how far the model is off at most (\(ladder.title))",
                        figure: error.magnitude * 100, limit: 10, unit: "%"))
            }
        }
        return bars
    }

    /// Participants of a conference that is promised to take little.
    static let conference = 17
}

extension ScaleResult.Group {
    fileprivate var text: [String] {
        [modelTable.text, calibrationTable.text] + ladders.flatMap { [$0.heading, table($0).text] }
    }

    private var modelTable: TextTable {
        var table = TextTable(["\(name), the model", ""])
        for (quantity, value) in model.facts { table.add([quantity, value]) }
        return table
    }

    private var calibrationTable: TextTable {
        var table = TextTable(["\(name), fitted to", "CPU", "by the model"])
        for load in calibration {
            table.add([
                load.name, load.measurement.cpuText,
                percent(model.cpu(of: load.measurement.load, feederCPU: load.measurement.feederCPU)),
            ])
        }
        return table
    }

    private func table(_ ladder: ScaleResult.Ladder) -> TextTable {
        var table = TextTable(
            [ladder.counted, "CPU", "predicted", "off by", "memory", "in time", "real time"], textColumns: [6])
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
    /// A row: count, CPU, predicted, off by, memory, in time, real time.
    var cells: [String] {
        [
            "\(count)", measurement.cpuText, predictedCPU.map(percent) ?? "too much",
            error.map { ($0 < 0 ? "−" : "+") + Decimal.percent($0.magnitude) } ?? "",
            Measure.memory.text(measurement.memoryBytes.map(Double.init)), Decimal.percent(measurement.inTime),
            measurement.isRealTime ? "yes" : "no",
        ]
    }
}

extension CapacityModel {
    /// What it found, in words.
    var facts: [(String, String)] {
        [
            ("a layer, whatever it carries", Decimal.text(perLayer * 1e3, decimals: 2) + " ms a second"),
            ("a packet, with what is coded in it", Decimal.text(perPacket * 1e6, decimals: 1) + " µs"),
            ("a million pixels at full size", Decimal.text(perHighPixel * 1e9, decimals: 2) + " ms"),
            ("a million pixels of thumbnails", Decimal.text(perLowPixel * 1e9, decimals: 2) + " ms"),
            ("pixels cost more, while all threads are busy", Decimal.percent(sharing)),
            ("layers and packets cost more then", (waking < 0 ? "−" : "") + Decimal.percent(waking.magnitude)),
        ]
    }
}

extension LoadMeasurement {
    fileprivate var cpuText: String { percent(cpu) }
}

private func percent(_ share: Double) -> String { share.isFinite ? Decimal.percent(share) : "too much" }
