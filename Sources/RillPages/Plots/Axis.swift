internal import Glibc

/// An axis of a plot.
public struct Axis: Sendable, Equatable {
    /// The measured quantity.
    public var title: String
    /// The unit; empty if there is none.
    public var unit: String
    /// The values from left to right, or from bottom to top.
    public var range: ClosedRange<Double>
    /// How seconds are formatted as times; `nil` for any other quantity.
    private(set) var clock: Clock.Part?
    /// Whether positions are logarithmic: equal ratios have equal distances.
    private(set) var isLogarithmic = false
    /// Whether only whole numbers exist.
    private(set) var isInteger = false

    /// Creates an axis over a range, which must be finite. An empty range is extended.
    public init(_ title: String, unit: String = "", _ range: ClosedRange<Double>) {
        precondition(range.lowerBound.isFinite && range.upperBound.isFinite, "an axis from \(range)")
        self.title = title
        self.unit = unit
        let isFlat = range.upperBound - range.lowerBound < max(range.upperBound.magnitude * 1e-6, 1e-6)
        self.range = isFlat ? range.lowerBound...(range.lowerBound + 1) : range
    }

    /// Creates an axis from zero, or from below the smallest value if that is negative, to the next tick above the
    /// largest.
    ///
    /// - Parameters:
    ///   - title: the measured quantity.
    ///   - unit: the unit; empty for none.
    ///   - values: the values to show. Those that are not finite are ignored.
    ///   - least: the minimum upper end of the axis.
    ///   - most: the maximum upper end of the axis.
    public init(
        _ title: String, unit: String = "", holding values: some Sequence<Double>, atLeast least: Double = 1,
        atMost most: Double = .infinity
    ) {
        let finite = values.lazy.filter(\.isFinite)
        let (low, high) = finite.reduce((0.0, least)) { (min($0.0, $1), max($0.1, $1)) }
        let step = Ticks(low * 1.02...high * 1.02, atMost: Drawing.verticalTickCount - 1).step
        self.init(
            title, unit: unit,
            (low * 1.02 / step).rounded(.down) * step...min((high * 1.02 / step).rounded(.up) * step, most))
    }

    /// Creates an axis on which equal ratios have equal distances. All values must be positive.
    public static func logarithmic(_ title: String, unit: String = "", _ range: ClosedRange<Double>) -> Axis {
        precondition(range.lowerBound > 0, "logarithms of \(range)")
        var axis = Axis(title, unit: unit, range)
        axis.isLogarithmic = true
        return axis
    }

    /// Creates an axis for counts, with ticks at whole numbers only.
    public static func count(_ title: String, _ range: ClosedRange<Double>) -> Axis {
        var axis = Axis(title, range)
        axis.isInteger = true
        return axis
    }

    /// Creates an axis of seconds since the start.
    public static func time(_ range: ClosedRange<Double>) -> Axis {
        var axis = Axis("time", range)
        // All ticks of an axis have the same format.
        let clock: Clock.Part =
            range.upperBound < 60 ? .seconds : range.upperBound < 3600 ? .minutes : .hours
        axis.unit = ["s", "min:s", "h:min:s"][clock.rawValue]
        axis.clock = clock
        return axis
    }

    /// Returns the position of a value along the axis: 0 is its start, 1 its end.
    func place(_ value: Double) -> Double {
        guard isLogarithmic else { return (value - range.lowerBound) / (range.upperBound - range.lowerBound) }
        // Values that are not positive are somewhere to the left.
        guard value > 0 else { return -1 }
        return log(value / range.lowerBound) / log(range.upperBound / range.lowerBound)
    }

    /// Returns at most that many ticks.
    func ticks(atMost count: Int) -> Ticks {
        if isLogarithmic { return Ticks(logarithmic: range) }
        let most = isInteger ? min(count, max(2, Int(range.upperBound - range.lowerBound) + 1)) : count
        return clock == nil ? Ticks(range, atMost: most) : Ticks(time: range, atMost: most)
    }

    /// Formats a value.
    func text(_ value: Double, decimals: Int) -> String {
        clock.map { Clock.text(value, decimals: decimals, from: $0) } ?? Decimal.text(value, decimals: decimals)
    }
}
