extension FrameRate {
    /// Estimates the frame rate of most of a clip from the times of its pictures. Returns `nil` if no two of them
    /// differ.
    ///
    /// ```swift
    /// FrameRate.typical(of: [0, 17, 33, 50, 150, 167, 183].map { .zero + .milliseconds($0) })  // 60
    /// ```
    ///
    /// Only runs of pictures whose intervals are close to the median count. So gaps, and parts with another rate, do
    /// not change the result. Times that are rounded (to milliseconds, say) or that jitter are averaged over eight
    /// intervals at a time. Among the rates within the uncertainty, a likely one is preferred: the claimed rate, a
    /// whole rate, or 1000/1001 of one.
    ///
    /// Pictures may arrive in bursts, when a recorder timestamps what a network delivered. No source has more than
    /// 240 frames per second, so such a clip gets its overall rate.
    ///
    /// Cost: two sorts of the intervals.
    ///
    /// - Parameters:
    ///   - times: the times in display order. Intervals that are not positive are ignored.
    ///   - claimed: the rate that the file declares, if any.
    /// - Returns: the rate, or `nil`.
    public static func typical(of times: [MediaTime], claimed: FrameRate? = nil) -> FrameRate? {
        guard let intervals = TypicalInterval(of: times) else { return nil }
        let rate = 1e9 / intervals.mean
        let likely = [claimed, FrameRate(nearestWhole: rate, per: 1), FrameRate(nearestWhole: rate, per: 1001)]
        func distance(_ candidate: FrameRate) -> Double { abs(candidate.framesPerSecond - rate) / rate }
        let candidates = likely.compactMap(\.self)
        if let fitting = candidates.first(where: { distance($0) <= intervals.uncertainty }) { return fitting }
        guard !intervals.areEven else { return simplest(within: intervals.uncertainty, of: rate) }
        // A clock that is slightly off must not produce a different rate, or one with huge numbers.
        let nearest = candidates.min { distance($0) < distance($1) }
        if let nearest, distance(nearest) <= 0.0025 { return nearest }
        return simplest(within: min(max(intervals.uncertainty, 1e-4), 0.0025), of: rate)
    }

    /// Creates the nearest whole rate, or with 1001 the nearest of 23.976, 29.97, 59.94 and the like. Returns `nil`
    /// below one.
    private init?(nearestWhole rate: Double, per denominator: Int) {
        let whole = (rate * Double(denominator) / (denominator == 1 ? 1 : 1000)).rounded()
        guard whole >= 1, whole <= Double(Int32.max) else { return nil }
        self.init(validating: Int(whole) * (denominator == 1 ? 1 : 1000), per: denominator)
    }

    /// Returns the ratio of the smallest numbers within a relative `tolerance` of `rate`, found by continued
    /// fractions.
    private static func simplest(within tolerance: Double, of rate: Double) -> FrameRate? {
        var (low, high) = (rate * (1 - tolerance), rate * (1 + tolerance))
        var (previous, current) = ((numerator: 0.0, denominator: 1.0), (numerator: 1.0, denominator: 0.0))
        // Each step makes the denominators grow by more than half again.
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

/// The interval between most pictures of a clip, in nanoseconds.
private struct TypicalInterval {
    /// The mean of the intervals that count.
    private(set) var mean = 0.0
    /// The relative uncertainty of the mean.
    private(set) var uncertainty = 0.0
    /// Whether all intervals are equal, to the nanosecond.
    private(set) var areEven = false

    /// How many intervals are averaged at a time, if a run has that many.
    private static let windowLength = 8

    init?(of times: [MediaTime]) {
        // An interval that is not positive, or that overflows, ends a run: 0.
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

    /// Returns the mean interval over whole bursts, if most intervals are too short for any source and others make up
    /// for them. An interval counts for at most two seconds.
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
        // For eight intervals, half an interval of tolerance accepts jitter and still separates 25 from 30 frames per
        // second. For one, an eighth accepts times in milliseconds.
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
        // Even times are only off by rounding to nanoseconds, at the ends of each window. Others are off by chance,
        // at the ends of each run.
        let rounding = spread * Double(min(rowCount, windows.count)).squareRoot()
        // No clock is exact to a ten-millionth: intervals of 33333333 ns mean 30 frames per second.
        uncertainty = areEven ? max(2 / (median * Double(length)), 1e-7) : min(rounding / total, 0.03)
    }
}
