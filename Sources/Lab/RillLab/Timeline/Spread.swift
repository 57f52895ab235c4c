import Histogram
import RillCore

/// Minimum, maximum and mean of values, in two words of memory.
public struct Spread: Sendable, Equatable {
    /// The number of values.
    public private(set) var count: Int32 = 0
    /// The minimum; 0 without values.
    public private(set) var minimum: Float = 0
    /// The maximum; 0 without values.
    public private(set) var maximum: Float = 0
    private var sum: Float = 0

    /// The mean; `nil` without values.
    public var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

    mutating func add(_ value: Double) {
        merge(Spread(Float(value)))
    }

    mutating func merge(_ other: Spread) {
        guard other.count > 0 else { return }
        minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
        maximum = count == 0 ? other.maximum : max(maximum, other.maximum)
        sum += other.sum
        count += other.count
    }

    init() {}

    private init(_ value: Float) {
        (count, minimum, maximum, sum) = (1, value, value, value)
    }
}

/// A distribution of durations in fixed memory: microseconds with three significant digits.
package struct DurationHistogram: Sendable {
    private var histogram: Histogram<UInt32>
    /// The longest duration that is distinguished; longer ones count as this.
    private let longest: UInt64

    init(longest: MediaDuration) {
        self.longest = UInt64(longest.nanoseconds / 1000)
        histogram = Histogram(highestTrackableValue: self.longest, numberOfSignificantValueDigits: .three)
    }

    mutating func add(_ duration: MediaDuration) {
        _ = histogram.record(min(UInt64(max(0, duration.nanoseconds / 1000)), longest))
    }

    /// The number of durations.
    package var count: Int { Int(histogram.totalCount) }

    /// The percentile, in milliseconds; `nil` if there is no duration.
    package func percentile(_ percent: Double) -> Double? {
        count == 0 ? nil : Double(histogram.valueAtPercentile(percent)) / 1000
    }

    /// The longest, in milliseconds; `nil` if there is none.
    package var maximum: Double? { count == 0 ? nil : Double(histogram.maxRecorded) / 1000 }

    /// Median, percentiles and maximum; `nil` if there is no duration.
    package var percentiles: Percentiles? {
        guard let median = percentile(50), let percentile95 = percentile(95), let percentile99 = percentile(99),
            let maximum
        else { return nil }
        return Percentiles(
            median: median, percentile95: percentile95, percentile99: percentile99, maximum: maximum)
    }

    /// The durations in ascending order, in seconds, with their counts.
    package var buckets: [(range: ClosedRange<Double>, count: Int)] {
        histogram.recordedValues().map { value in
            let low = Double(histogram.lowestEquivalentForValue(value.value))
            let high = Double(histogram.nextNonEquivalentForValue(value.value))
            return (low / 1e6...high / 1e6, Int(value.count))
        }
    }
}

/// Percentiles of durations, in milliseconds.
package struct Percentiles: Encodable {
    package let median, percentile95, percentile99, maximum: Double
}
