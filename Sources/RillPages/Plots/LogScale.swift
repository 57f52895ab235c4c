internal import Glibc

/// A logarithmic scale of durations: equal ratios have equal distances.
struct LogScale: Equatable {
    /// The ends, in seconds.
    let range: ClosedRange<Double>

    /// Shorter durations are not distinguished.
    private static let shortest = 1e-7

    /// Creates a scale that contains all these durations, between round ones, with a ratio of at least ten.
    init(holding seconds: some Sequence<Double>) {
        let held = seconds.filter { $0.isFinite }.map { max($0, LogScale.shortest) }
        let (least, most) = (held.min() ?? 1e-3, held.max() ?? 1e-3)
        let low = LogScale.round(notAbove: least)
        var high = LogScale.round(notAbove: most)
        if high < most { high = LogScale.next(high) }
        range = low...max(high, low * 10)
    }

    /// Returns the position: 0 is the left end, 1 the right one. Durations outside are at the ends.
    func place(_ seconds: Double) -> Double {
        let clamped = min(max(seconds, range.lowerBound), range.upperBound)
        return (log(clamped) - log(range.lowerBound)) / (log(range.upperBound) - log(range.lowerBound))
    }

    /// Round durations along the scale. Fine ones may be omitted if there is little room.
    var ticks: [(seconds: Double, isFine: Bool)] {
        var ticks: [(seconds: Double, isFine: Bool)] = []
        // Over many decades there is only room for powers of ten.
        let isWide = log10(range.upperBound / range.lowerBound) > 4.5
        var time = range.lowerBound
        while time <= range.upperBound * 1.000_001 {
            let isPower = LogScale.digit(time) == 1
            if isPower || !isWide { ticks.append((time, !isPower)) }
            time = LogScale.next(time)
        }
        return ticks
    }

    /// Formats a duration: `50 µs`, `2 ms`, `1 s`.
    static func text(_ seconds: Double) -> String {
        let units: [(Double, String)] = [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]
        // A value that is a unit apart from rounding counts as one.
        let (size, unit) = units.first { seconds >= $0.0 * 0.999_999 } ?? (1e-9, "ns")
        return "\(Decimal.text(seconds / size, decimals: 0)) \(unit)"
    }

    // MARK: 1, 2 and 5 times powers of ten

    private static func power(_ seconds: Double) -> Double { pow(10, (log10(seconds) + 1e-9).rounded(.down)) }

    private static func digit(_ seconds: Double) -> Int { Int((seconds / power(seconds)).rounded()) }

    private static func round(notAbove seconds: Double) -> Double {
        let power = power(seconds)
        return power * ([5.0, 2].first { power * $0 <= seconds * 1.000_001 } ?? 1)
    }

    private static func next(_ seconds: Double) -> Double {
        let power = power(seconds)
        return power * (digit(seconds) == 1 ? 2 : digit(seconds) == 2 ? 5 : 10)
    }
}
