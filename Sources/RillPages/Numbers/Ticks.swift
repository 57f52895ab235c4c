internal import Glibc

/// Round values along an axis.
struct Ticks: Equatable {
    /// The values in ascending order, each a multiple of the step.
    var values: [Double]
    /// The number of decimals that distinguishes them.
    var decimals: Int
    /// The interval of ticks to keep if there is little room: those whose index from zero is a multiple of it.
    var coarseStep: Int
    /// The distance between ticks.
    private(set) var step: Double
    /// Whether the values are 1, 2 and 5 times powers of ten. If there is little room, only the powers are kept.
    private var isLogarithmic = false

    /// Creates at most `count` (2 or more) multiples of 1, 2 or 5 times a power of ten within `range`.
    init(_ range: ClosedRange<Double>, atMost count: Int) {
        precondition(count >= 2, "an axis has at least two ticks, not \(count)")
        let least = Ticks.leastStep(range, count)
        var (power, decimals) = (1.0, 0)
        while power > least {
            power /= 10
            decimals += 1
        }
        while power * 10 <= least {
            power *= 10
            decimals -= 1
        }
        let factor = [1.0, 2, 5, 10].first { power * $0 >= least * (1 - 1e-9) } ?? 10
        self.init(range, step: power * factor, decimals: max(0, factor == 10 ? decimals - 1 : decimals))
    }

    /// Creates ticks for times in seconds. From a second on, steps divide minutes, hours and days.
    init(time range: ClosedRange<Double>, atMost count: Int) {
        let least = Ticks.leastStep(range, count)
        let steps: [Double] = [
            1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
        ]
        guard least > 0.5, let step = steps.first(where: { $0 >= least }) else {
            self.init(range, atMost: count)
            return
        }
        self.init(range, step: step, decimals: 0)
    }

    /// Creates 1, 2 and 5 times powers of ten within a positive range.
    init(logarithmic range: ClosedRange<Double>) {
        precondition(range.lowerBound > 0, "logarithms of \(range)")
        let powers = Int(log10(range.lowerBound).rounded(.down))...Int(log10(range.upperBound).rounded(.down))
        values = powers.flatMap { power in [1.0, 2, 5].map { $0 * pow(10, Double(power)) } }.filter(range.contains)
        decimals = max(0, -powers.lowerBound)
        (coarseStep, step, isLogarithmic) = (1, 1, true)
    }

    private init(_ range: ClosedRange<Double>, step: Double, decimals: Int) {
        let first = (range.lowerBound / step - 1e-6).rounded(.up)
        let last = (range.upperBound / step + 1e-6).rounded(.down)
        self.step = step
        self.decimals = decimals
        // An empty range has one tick.
        values = last >= first && last - first < 1000 ? (0...Int(last - first)).map { (first + Double($0)) * step } : []
        coarseStep = values.count > 6 ? 2 : 1
    }

    /// Whether to keep a tick if there is little room.
    func isCoarse(_ value: Double) -> Bool {
        guard isLogarithmic else { return Int((value / step).rounded()) % coarseStep == 0 }
        let digits = log10(value)
        return (digits - digits.rounded()).magnitude < 1e-9
    }

    private static func leastStep(_ range: ClosedRange<Double>, _ count: Int) -> Double {
        max((range.upperBound - range.lowerBound) / Double(count - 1), range.upperBound.magnitude * 1e-9, 1e-9)
    }
}
