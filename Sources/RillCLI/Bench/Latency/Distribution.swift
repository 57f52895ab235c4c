import Glibc

/// How long something took, over many times: exact percentiles, and a histogram. All in nanoseconds.
struct Distribution: Codable, Equatable, Sendable {
    /// How many times.
    var count: Int
    var least: Int64
    /// Half took no longer.
    var median: Int64
    /// That many of 100 took no longer.
    var percentile90: Int64
    var percentile95: Int64
    var percentile99: Int64
    /// 999 of 1000 took no longer.
    var percentile999: Int64
    var maximum: Int64
    /// From the shortest to the longest; none is empty.
    var buckets: [Bucket]

    /// Values from `from` on, below `to`.
    struct Bucket: Codable, Equatable, Sendable {
        var from: Int64
        var to: Int64
        var count: Int
    }

    /// Buckets whose ends are in proportion: so many for ten times as long.
    static let bucketsPerDecade = 20.0
    /// Shorter times fall into the first bucket: a clock's reading takes some tens of nanoseconds.
    static let shortest: Int64 = 100

    /// `nil` where there are no values.
    init?(_ values: [Int64]) {
        let sorted = values.sorted()
        guard let least = sorted.first, let maximum = sorted.last else { return nil }
        /// The smallest value that so large a share of all does not exceed.
        func percentile(_ share: Double) -> Int64 {
            // What is whole but for rounding is whole: 0.9 of 10 is 9.
            let rank = Int((share * Double(sorted.count) - 1e-9).rounded(.up))
            return sorted[min(max(rank, 1), sorted.count) - 1]
        }
        count = sorted.count
        (self.least, self.maximum) = (least, maximum)
        (median, percentile90, percentile95) = (percentile(0.5), percentile(0.9), percentile(0.95))
        (percentile99, percentile999) = (percentile(0.99), percentile(0.999))
        buckets = []
        for value in sorted {
            if let last = buckets.last, value < last.to {
                buckets[buckets.count - 1].count += 1
            } else {
                let (from, to) = Distribution.edges(around: value)
                buckets.append(Bucket(from: from, to: to, count: 1))
            }
        }
    }

    private static func edges(around value: Int64) -> (from: Int64, to: Int64) {
        guard value >= shortest else { return (0, shortest) }
        var index = (log10(Double(value) / Double(shortest)) * bucketsPerDecade).rounded(.down)
        // Logarithms are rounded; the edges are whole.
        if edge(index) > value { index -= 1 }
        if edge(index + 1) <= value { index += 1 }
        return (edge(index), edge(index + 1))
    }

    private static func edge(_ index: Double) -> Int64 {
        Int64((Double(shortest) * pow(10, index / bucketsPerDecade)).rounded())
    }
}
