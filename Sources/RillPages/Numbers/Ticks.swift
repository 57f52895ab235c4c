internal import Glibc

/// Round numbers along an axis, for people to read values off it.
struct Ticks: Equatable {
    /// The places, rising, each a multiple of the step.
    var values: [Double]
    /// How many decimals tell them apart.
    var decimals: Int
    /// Every which of them stays where there is little room: those whose index from zero is a multiple of it.
    var coarseStep: Int
    /// From one to the next.
    private(set) var step: Double
    /// The values are 1, 2 and 5 times powers of ten, of which the powers stay where there is little room.
    private var isLogarithmic = false

    /// At most `count` (2 or more) multiples of 1, 2 or 5 times a power of ten within `range`.
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

    /// The same for times in seconds: from a second on, steps that divide minutes, hours and days.
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

    /// 1, 2 and 5 times powers of ten within a range above zero.
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
        // A range that is no range has one tick.
        values = last >= first && last - first < 1000 ? (0...Int(last - first)).map { (first + Double($0)) * step } : []
        coarseStep = values.count > 6 ? 2 : 1
    }

    /// Whether a tick stays where there is little room.
    func isCoarse(_ value: Double) -> Bool {
        guard isLogarithmic else { return Int((value / step).rounded()) % coarseStep == 0 }
        let digits = log10(value)
        return (digits - digits.rounded()).magnitude < 1e-9
    }

    private static func leastStep(_ range: ClosedRange<Double>, _ count: Int) -> Double {
        max((range.upperBound - range.lowerBound) / Double(count - 1), range.upperBound.magnitude * 1e-9, 1e-9)
    }
}
