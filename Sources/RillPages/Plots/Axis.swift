/// What runs along one side of a plot.
public struct Axis: Sendable, Equatable {
    /// What is measured.
    public var title: String
    /// In what; empty where it has none.
    public var unit: String
    /// From the left to the right, or from the bottom to the top.
    public var range: ClosedRange<Double>
    /// The values are seconds, written as times.
    public var isTime = false

    /// An axis over a range, which has to be finite; one without any length is made longer.
    public init(_ title: String, unit: String = "", _ range: ClosedRange<Double>) {
        precondition(range.lowerBound.isFinite && range.upperBound.isFinite, "an axis from \(range)")
        self.title = title
        self.unit = unit
        let isFlat = range.upperBound - range.lowerBound < max(range.upperBound.magnitude * 1e-6, 1e-6)
        self.range = isFlat ? range.lowerBound...(range.lowerBound + 1) : range
    }

    /// An axis from zero on (or from the smallest value, where that lies below) to a little above the largest.
    public init(_ title: String, unit: String = "", holding values: some Sequence<Double>, atLeast least: Double = 1) {
        let finite = values.lazy.filter(\.isFinite)
        let (low, high) = finite.reduce((0.0, least)) { (min($0.0, $1), max($0.1, $1)) }
        self.init(title, unit: unit, low * 1.05...high * 1.05)
    }

    /// Seconds since the beginning.
    public static func time(_ range: ClosedRange<Double>) -> Axis {
        var axis = Axis("time", unit: "", range)
        axis.isTime = true
        // Written as the ticks are.
        axis.unit = range.upperBound < 60 ? "s" : range.upperBound < 3600 ? "min:s" : "h:min:s"
        return axis
    }

    /// Where a value lies along the axis: 0 is its beginning, 1 its end.
    func place(_ value: Double) -> Double { (value - range.lowerBound) / (range.upperBound - range.lowerBound) }

    /// At most that many ticks.
    func ticks(atMost count: Int) -> Ticks {
        isTime ? Ticks(time: range, atMost: count) : Ticks(range, atMost: count)
    }

    /// How a value is written.
    func text(_ value: Double, decimals: Int) -> String {
        isTime ? Clock.text(value, decimals: decimals) : Decimal.text(value, decimals: decimals)
    }

    /// A value with its unit, for a label that stands alone.
    func described(_ value: Double) -> String {
        let decimals = max(0, ticks(atMost: 6).decimals)
        let text = text(value, decimals: decimals)
        return unit.isEmpty || isTime ? text : "\(text) \(unit)"
    }
}
