/// What came of a job.
struct JobResult: Codable, Sendable {
    var name: String
    var title: String
    var explanation: [String]
    /// Who did not take part, and why.
    var notices: [String]
    var heats: [HeatResult]

    /// What was measured of anybody.
    var measuresTaken: [Measure] {
        Measure.allCases.filter { measure in heats.contains { $0.measuresTaken.contains(measure) } }
    }

    /// Rill beside each other contestant of its heat, measure by measure.
    var comparisons: [Comparison] {
        heats.flatMap { heat in
            heat.measures.flatMap { measure in
                heat.entries.dropFirst().compactMap { Comparison(of: $0, in: heat, measure) }
            }
        }
    }
}

/// What came of a heat.
struct HeatResult: Codable, Sendable {
    var title: String
    var measures: [Measure]
    /// The first is Rill.
    var entries: [Entry]

    /// What came of a contestant.
    struct Entry: Codable, Sendable {
        var name: String
        var part: Contestant.Part
        /// As a shell takes it.
        var command: String
        /// What was subtracted.
        var baseline: String?
        var turns: [Turn] = []
        var instructions: Int?
        /// Of the first turn.
        var work: Work?
        /// Datagrams that got lost between a contestant and who counts them, in all turns.
        var packetsLost = 0
        /// Why it has no figures, or not all.
        var failure: String?
        /// Why its figures are not compared: its work was other than Rill's.
        var voidance: String?

        /// One value a turn; of instructions a single one.
        func values(_ measure: Measure) -> [Double?] {
            switch measure {
            case .instructions: instructions.map { [Double($0)] } ?? []
            case .cpu: turns.map(\.cpuSeconds)
            case .wall: turns.map(\.wallSeconds)
            case .memory: turns.map { $0.peakBytes.map(Double.init) }
            }
        }

        func sample(_ measure: Measure) -> Sample? { Sample(values(measure).compactMap(\.self)) }
    }

    init(_ heat: Heat) {
        title = heat.title
        measures = heat.measures
        entries = heat.contestants.map {
            Entry(name: $0.name, part: $0.part, command: $0.command.text, baseline: $0.baseline?.text)
        }
    }

    /// How far a command strays from itself in this heat, by the contestant that ran twice; never less than what is no
    /// difference.
    func scatter(_ measure: Measure) -> Double {
        guard let again = entries.first(where: { $0.part == .again }),
            let original = entries.first(where: { $0.command == again.command }),
            let ratios = Sample.ratios(again.values(measure), over: original.values(measure))
        else { return measure.leastScatter(turns: entries.first?.turns.count ?? 0) }
        return max(ratios.strayingFromOne, measure.leastScatter(turns: original.turns.count))
    }

    /// What was measured of anybody.
    var measuresTaken: [Measure] {
        measures.filter { measure in entries.contains { $0.sample(measure) != nil } }
    }

    /// Finds who did other work than Rill.
    mutating func compareWork() {
        guard let ours = entries.first?.work else { return }
        for index in entries.indices where entries[index].part == .rival {
            entries[index].voidance = entries[index].work?.difference(from: ours)
        }
    }
}

/// Rill beside another in one measure.
struct Comparison: Codable, Sendable {
    /// Which heat it was.
    var heat: String
    var measure: Measure
    /// Whom Rill is compared with.
    var rival: String
    var part: Contestant.Part
    /// The other's over Rill's, turn by turn: the median, and the middle half of the turns. Above 1 Rill takes less.
    var ratio: Double
    var lowQuartile: Double
    var highQuartile: Double
    /// Differences up to this are chance.
    var scatter: Double
    /// Where Rill stands; a floor is nobody's rival.
    var verdict: Verdict?

    /// `nil` where there is nothing to compare, or the work was other.
    init?(of entry: HeatResult.Entry, in heat: HeatResult, _ measure: Measure) {
        guard entry.part != .again, entry.voidance == nil, entry.failure == nil, let ours = heat.entries.first,
            let ratios = Sample.ratios(entry.values(measure), over: ours.values(measure))
        else { return nil }
        self.heat = heat.title
        self.measure = measure
        rival = entry.name
        part = entry.part
        ratio = ratios.median
        (lowQuartile, highQuartile) = (ratios.lowQuartile, ratios.highQuartile)
        scatter = heat.scatter(measure)
        verdict = entry.part == .floor ? nil : Verdict(ratios, scatter: scatter)
    }
}
