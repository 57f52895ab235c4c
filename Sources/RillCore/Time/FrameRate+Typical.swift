extension FrameRate {
    /// The rate that most of a clip has, by the times of its pictures; `nil` where no two of them differ.
    ///
    ///     FrameRate.typical(of: [0, 17, 33, 50, 150, 167, 183].map { .zero + .milliseconds($0) })  // 60
    ///
    /// The median interval says which pictures are counted: those in rows without a gap that have about that interval. So
    /// gaps, wherever they are, and parts of another rate do not change it. Times that are rounded, to milliseconds say, or
    /// that jitter, are averaged over eight intervals at a time. Of the rates that they leave open one is taken that a clip
    /// is likely to have: the claimed one, a whole one, or 1000/1001 of one.
    ///
    /// Pictures that come in bunches, as a recorder stamps what a network brought it, have the rate that they have in all: no
    /// source has more than 240 a second.
    ///
    /// Cost: two sorts of the intervals.
    ///
    /// - Parameters:
    ///   - times: in the order in which the pictures are shown. What does not rise counts for nothing.
    ///   - claimed: the rate that the file names, if it does.
    public static func typical(of times: [MediaTime], claimed: FrameRate? = nil) -> FrameRate? {
        guard let intervals = TypicalInterval(of: times) else { return nil }
        let rate = 1e9 / intervals.mean
        let likely = [claimed, FrameRate(nearestWhole: rate, per: 1), FrameRate(nearestWhole: rate, per: 1001)]
        func distance(_ candidate: FrameRate) -> Double { abs(candidate.framesPerSecond - rate) / rate }
        let candidates = likely.compactMap(\.self)
        if let fitting = candidates.first(where: { distance($0) <= intervals.uncertainty }) { return fitting }
        guard !intervals.areEven else { return simplest(within: intervals.uncertainty, of: rate) }
        // A clock that is a little off does not make another rate, nor one of huge numbers.
        let nearest = candidates.min { distance($0) < distance($1) }
        if let nearest, distance(nearest) <= 0.0025 { return nearest }
        return simplest(within: min(max(intervals.uncertainty, 1e-4), 0.0025), of: rate)
    }

    /// The nearest whole rate, or with 1001 the nearest of 23.976, 29.97, 59.94 and their like; `nil` below one.
    private init?(nearestWhole rate: Double, per denominator: Int) {
        let whole = (rate * Double(denominator) / (denominator == 1 ? 1 : 1000)).rounded()
        guard whole >= 1, whole <= Double(Int32.max) else { return nil }
        self.init(validating: Int(whole) * (denominator == 1 ? 1 : 1000), per: denominator)
    }

    /// The ratio of the smallest numbers that differs from `rate` by no more than a part of it, by continued fractions.
    private static func simplest(within tolerance: Double, of rate: Double) -> FrameRate? {
        var (low, high) = (rate * (1 - tolerance), rate * (1 + tolerance))
        var (previous, current) = ((numerator: 0.0, denominator: 1.0), (numerator: 1.0, denominator: 0.0))
        // Each step has the denominators grow by more than half again.
        for _ in 0..<64 {
            let isLast = high.rounded(.down) >= low
            let whole = isLast ? low.rounded(.up) : low.rounded(.down)
            (previous, current) = (
                current,
                (
                    whole * current.numerator + previous.numerator,
                    whole * current.denominator + previous.denominator
                )
            )
            if isLast { break }
            (low, high) = (1 / (high - whole), 1 / (low - whole))
        }
        guard max(current.numerator, current.denominator) <= Double(Int32.max) else { return nil }
        return FrameRate(validating: Int(current.numerator), per: Int(current.denominator))
    }
}

/// The interval that most pictures of a clip have, in nanoseconds.
private struct TypicalInterval {
    /// The mean of those that count.
    private(set) var mean = 0.0
    /// By what part of itself the mean may well be wrong.
    private(set) var uncertainty = 0.0
    /// Whether they are all the same, as far as nanoseconds can say.
    private(set) var areEven = false

    /// Intervals that are averaged at a time, where so many are in a row.
    private static let windowLength = 8

    init?(of times: [MediaTime]) {
        // What does not rise, or rises by more than a number holds, ends a row: 0.
        let intervals = zip(times, times.dropFirst()).map { before, after in
            let (interval, isTooLarge) = after.nanoseconds.subtractingReportingOverflow(before.nanoseconds)
            return isTooLarge ? 0 : Double(max(0, interval))
        }
        let rising = intervals.filter { $0 > 0 }.sorted()
        guard !rising.isEmpty else { return nil }
        if let meanOfBunches = Self.meanOfBunches(intervals) {
            (mean, uncertainty) = (meanOfBunches, 0.03)
            return
        }
        let median = rising[rising.count / 2]
        let rows = intervals.split { $0 <= median * 0.5 || $0 >= median * 1.5 }
        let length = min(Self.windowLength, rows.map(\.count).max() ?? 0)
        let windows = rows.flatMap { row in
            stride(from: row.startIndex, through: row.endIndex - length, by: length).map { row[$0..<$0 + length] }
        }
        count(windows, of: length, median, rowCount: rows.count)
    }

    /// The mean interval of whole bunches, two seconds being the most that one counts, where most intervals are too short to
    /// be anybody's and others make up for them.
    private static func meanOfBunches(_ intervals: [Double]) -> Double? {
        let shortest = 1e9 / 240
        let median = intervals.sorted()[intervals.count / 2]
        guard median < shortest, let last = intervals.lastIndex(where: { $0 >= shortest }) else { return nil }
        let mean = intervals[...last].reduce(0) { $0 + min($1, 2e9) } / Double(last + 1)
        return mean > median * 2 ? mean : nil
    }

    private mutating func count(
        _ windows: [ArraySlice<Double>], of length: Int, _ median: Double, rowCount: Int
    ) {
        let sums = windows.map { $0.reduce(0, +) }
        let middle = sums.sorted()[sums.count / 2]
        // Half an interval in eight takes in what jitters, and leaves out 25 a second beside 30; an eighth in one takes in
        // times in milliseconds.
        let tolerance = median * max(Double(length) / 16, 0.125)
        var (total, used) = (0.0, 0)
        var (shortest, longest) = (Double.infinity, 0.0)
        for (window, sum) in zip(windows, sums) where abs(sum - middle) <= tolerance {
            total += sum
            used += length
            for interval in window { (shortest, longest) = (min(shortest, interval), max(longest, interval)) }
        }
        mean = total / Double(used)
        let spread = longest - shortest
        areEven = spread <= 1
        // Even times are off by the rounding to a nanosecond alone, at the ends of each window; others by chance, at the
        // ends of each row.
        let rounding = spread * Double(min(rowCount, windows.count)).squareRoot()
        // No clock is exact to a ten-millionth: intervals of 33333333 ns are those of 30 a second.
        uncertainty = areEven ? max(2 / (median * Double(length)), 1e-7) : min(rounding / total, 0.03)
    }
}
