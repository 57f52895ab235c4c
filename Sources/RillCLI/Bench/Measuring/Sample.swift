/// Numbers of one kind, one for each turn: their middle, and how far they stray from it.
struct Sample: Equatable, Sendable {
    /// From the smallest to the largest.
    let sorted: [Double]

    /// What is no number is left out; `nil` where nothing is left.
    init?(_ values: some Sequence<Double>) {
        sorted = values.filter(\.isFinite).sorted()
        if sorted.isEmpty { return nil }
    }

    var least: Double { sorted[0] }
    var most: Double { sorted[sorted.count - 1] }
    var median: Double { quantile(0.5) }
    /// A quarter of the values lies below.
    var lowQuartile: Double { quantile(0.25) }
    /// A quarter of the values lies above.
    var highQuartile: Double { quantile(0.75) }

    /// Between two values in proportion.
    private func quantile(_ share: Double) -> Double {
        let place = share * Double(sorted.count - 1)
        let index = min(Int(place), sorted.count - 1)
        let next = min(index + 1, sorted.count - 1)
        return sorted[index] + (sorted[next] - sorted[index]) * (place - Double(index))
    }

    /// Ratios turn by turn: what slows the machine slows both. Turns in which one of them took nothing say nothing.
    static func ratios(_ values: [Double?], over references: [Double?]) -> Sample? {
        Sample(
            zip(values, references).compactMap { value, reference in
                guard let value, let reference, value > 0, reference > 0 else { return nil }
                return value / reference
            })
    }

    /// How far the middle half of the values strays from 1: of ratios of a command to itself.
    var strayingFromOne: Double { max((lowQuartile - 1).magnitude, (highQuartile - 1).magnitude) }
}
