import RillPages

extension BenchReport {
    /// The report as tables for people.
    var text: String {
        var parts = [measured]
        if !headline.isEmpty { parts.append(headline) }
        if !bars.isEmpty { parts.append(bars.map(\.text).joined(separator: "\n")) }
        if !shortcomings.isEmpty { parts.append("Behind:\n" + shortcomings.map { "  " + $0 }.joined(separator: "\n")) }
        for job in jobs { parts.append(job.text) }
        if !jobs.isEmpty { parts.append(BenchReport.reading) }
        if let latency { parts.append(latency.text) }
        if let scale { parts.append(scale.text) }
        parts.append((machine + versions).map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
        if !commands.isEmpty {
            parts.append(commands.map { "\($0.name)\n  \($0.value)" }.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
    }

    /// What was worked on, and how often.
    var measured: String { jobs.isEmpty ? "\(clip)." : "\(clip); \(turnText)." }

    /// How often each program ran, and what that is worth.
    var turnText: String {
        switch turns {
        case 1: "one turn, too few for seconds to be compared by"
        case ..<Measure.fewTurns: "medians of \(turns) turns, too few for seconds to be compared by"
        default: "medians of \(turns) turns"
        }
    }

    /// How the figures are to be read.
    static let reading =
        "Ratios are the other's over Rill's, turn by turn (the median, and the middle half of the turns): above 1 Rill takes "
        + "less. Level is what differs by no more than one and the same command differs from itself in this run, and what its "
        + "turns do not agree on: their middle half lies on both sides of 1."

    /// Every command that was run, once.
    var commands: [Fact] {
        var commands: [Fact] = []
        for job in jobs {
            for heat in job.heats {
                for entry in heat.entries where entry.part != .again {
                    let name = "\(job.name), \(entry.name), \(heat.title)"
                    commands.append(Fact(name, entry.command))
                    if let baseline = entry.baseline { commands.append(Fact(name + ", what is subtracted", baseline)) }
                }
            }
        }
        if let latency { commands.append(Fact("latency, a live call", latency.command)) }
        return commands
    }
}

extension HeatResult {
    /// How far a command strays from itself, measure by measure.
    var scatterText: String {
        measuresTaken.map { "\($0.title) \(RatioText.scatter(scatter($0)))" }.joined(separator: ", ")
    }
}

extension JobResult {
    fileprivate var text: String {
        var parts = ["\(name): \(title)"]
        for heat in heats {
            parts += heat.measuresTaken.map { table($0, heat).text } + [workTable(heat).text]
            parts.append("A command against itself, \(heat.title): \(heat.scatterText)")
        }
        return (parts + notices + remarks).joined(separator: "\n\n")
    }

    private func table(_ measure: Measure, _ heat: HeatResult) -> TextTable {
        let comparisons = comparisons.filter { $0.heat == heat.title && $0.measure == measure }
        var table = TextTable(["\(measure.title), \(heat.title)", "median", "least", "most", "over Rill's", "Rill is"])
        for entry in heat.entries {
            let sample = entry.sample(measure)
            let comparison = comparisons.first { $0.rival == entry.name }
            table.add([
                entry.name, measure.text(sample?.median), measure.text(sample?.least), measure.text(sample?.most),
                comparison.map(RatioText.text) ?? "", comparison?.verdict?.rawValue ?? "",
            ])
        }
        return table
    }

    /// What was done for it: pictures, and bytes of those that were coded.
    private func workTable(_ heat: HeatResult) -> TextTable {
        var table = TextTable(["work, \(heat.title)", "pictures", "coded bytes"])
        for entry in heat.entries {
            table.add([
                entry.name, entry.work.map { "\($0.frames)" } ?? "–", entry.work?.codedBytes.map { "\($0)" } ?? "–",
            ])
        }
        return table
    }

    /// What a reader has to know of single contestants.
    var remarks: [String] {
        heats.flatMap { heat in
            heat.entries.compactMap { entry in
                let who = "\(entry.name), \(heat.title)"
                if let failure = entry.failure { return "\(who), failed: \(failure)" }
                if let voidance = entry.voidance { return "\(who), is not compared: it \(voidance)." }
                if entry.packetsLost > 0 {
                    return
                        "\(who): \(entry.packetsLost) datagrams came to nobody's ears; what they held is not counted."
                }
                return nil
            }
        }
    }
}
