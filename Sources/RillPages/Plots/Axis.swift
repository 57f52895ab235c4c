internal import Glibc

/// What runs along one side of a plot.
public struct Axis: Sendable, Equatable {
    /// What is measured.
    public var title: String
    /// In what; empty where it has none.
    public var unit: String
    /// From the left to the right, or from the bottom to the top.
    public var range: ClosedRange<Double>
    /// The values are seconds, written as times; `nil` for any other quantity.
    private(set) var clock: Clock.Part?
    /// Places go with the logarithms: twice as much lies everywhere as far away.
    private(set) var isLogarithmic = false
    /// Nothing lies between one whole number and the next.
    private(set) var isInteger = false

    /// An axis over a range, which has to be finite; one without any length is made longer.
    public init(_ title: String, unit: String = "", _ range: ClosedRange<Double>) {
        precondition(range.lowerBound.isFinite && range.upperBound.isFinite, "an axis from \(range)")
        self.title = title
        self.unit = unit
        let isFlat = range.upperBound - range.lowerBound < max(range.upperBound.magnitude * 1e-6, 1e-6)
        self.range = isFlat ? range.lowerBound...(range.lowerBound + 1) : range
    }

    /// An axis from zero on, or from below the smallest value where that is negative, to the next tick above the largest.
    ///
    /// - Parameters:
    ///   - least: what the axis reaches up to in any case.
    ///   - most: what it never reaches beyond.
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

    /// Numbers that grow by doubling; all are above zero.
    public static func logarithmic(_ title: String, unit: String = "", _ range: ClosedRange<Double>) -> Axis {
        precondition(range.lowerBound > 0, "logarithms of \(range)")
        var axis = Axis(title, unit: unit, range)
        axis.isLogarithmic = true
        return axis
    }

    /// Things that are counted: no tick is a part of one.
    public static func count(_ title: String, _ range: ClosedRange<Double>) -> Axis {
        var axis = Axis(title, range)
        axis.isInteger = true
        return axis
    }

    /// Seconds since the beginning.
    public static func time(_ range: ClosedRange<Double>) -> Axis {
        var axis = Axis("time", range)
        // All ticks of one axis are written alike.
        let clock: Clock.Part =
            range.upperBound < 60 ? .seconds : range.upperBound < 3600 ? .minutes : .hours
        axis.unit = ["s", "min:s", "h:min:s"][clock.rawValue]
        axis.clock = clock
        return axis
    }

    /// Where a value lies along the axis: 0 is its beginning, 1 its end.
    func place(_ value: Double) -> Double {
        guard isLogarithmic else { return (value - range.lowerBound) / (range.upperBound - range.lowerBound) }
        // What is not above zero lies somewhere to the left.
        guard value > 0 else { return -1 }
        return log(value / range.lowerBound) / log(range.upperBound / range.lowerBound)
    }

    /// At most that many ticks.
    func ticks(atMost count: Int) -> Ticks {
        if isLogarithmic { return Ticks(logarithmic: range) }
        let most = isInteger ? min(count, max(2, Int(range.upperBound - range.lowerBound) + 1)) : count
        return clock == nil ? Ticks(range, atMost: most) : Ticks(time: range, atMost: most)
    }

    /// How a value is written.
    func text(_ value: Double, decimals: Int) -> String {
        clock.map { Clock.text(value, decimals: decimals, from: $0) } ?? Decimal.text(value, decimals: decimals)
    }
}
