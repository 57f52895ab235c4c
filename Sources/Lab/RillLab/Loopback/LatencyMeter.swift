import Histogram
import RillCore

/// Collects how long frames take from each stage to the next, and in total.
struct LatencyMeter {
    private typealias Stage = FrameTimestamps.Stage

    private var steps: [Histogram<UInt32>]
    private var whole: Histogram<UInt32>
    private var fromSending: Histogram<UInt32>
    /// The shortest time that a frame's first packet took over the network.
    private var smallestTransit: MediaDuration?

    /// The stages, created once: `allCases` is a new array each time.
    private static let stages = Stage.allCases
    /// The longest time that is distinguished; longer ones count as this.
    private static let longest = MediaDuration.seconds(60)

    init() {
        // Microseconds with three significant digits: 120 kB per stage, and no growth.
        func histogram() -> Histogram<UInt32> {
            Histogram(
                highestTrackableValue: UInt64(Self.longest.nanoseconds / 1000), numberOfSignificantValueDigits: .three)
        }
        steps = Stage.allCases.dropFirst().map { _ in histogram() }
        whole = histogram()
        fromSending = histogram()
    }

    /// Adds a frame that was shown.
    mutating func add(_ timestamps: FrameTimestamps) {
        for index in steps.indices {
            guard let start = timestamps[Self.stages[index]], let end = timestamps[Self.stages[index + 1]] else {
                continue
            }
            Self.record(end - start, in: &steps[index])
        }
        if let captured = timestamps[.captured], let shown = timestamps[.shown] {
            Self.record(shown - captured, in: &whole)
        }
        if let sent = timestamps[.sent], let arrived = timestamps[.arrived], let shown = timestamps[.shown] {
            Self.record(shown - sent, in: &fromSending)
            smallestTransit = min(smallestTransit ?? arrived - sent, arrived - sent)
        }
    }

    // Static: a method of the value would access it twice, and each record would copy a histogram.
    private static func record(_ duration: MediaDuration, in histogram: inout Histogram<UInt32>) {
        let clamped = min(max(duration, .zero), longest)
        histogram.record(UInt64(clamped.nanoseconds / 1000))
    }

    /// The delay that the receiving side adds to the network's shortest delay; `nil` if nothing was shown.
    var addedDelay: AddedDelay? {
        smallestTransit.map { AddedDelay(fromSending, smallestTransit: $0.milliseconds) }
    }

    /// The stages in order, then the total.
    var summary: [LatencySummary] {
        let steps = zip(Stage.allCases.dropFirst(), steps).map { stage, histogram in
            LatencySummary(
                from: "\(Stage.allCases[stage.rawValue - 1])", to: "\(stage)", histogram)
        }
        return steps + [LatencySummary(from: "\(Stage.captured)", to: "\(Stage.shown)", whole)]
    }
}

/// How long frames took from one stage to another, in milliseconds.
public struct LatencySummary: Codable, Sendable, Equatable {
    /// The stage where the time starts.
    public var from: String
    /// The stage where it ends.
    public var to: String
    /// Frames that passed both.
    public var count: Int
    /// The median.
    public var median: Double
    /// The 95th percentile.
    public var percentile95: Double
    /// The 99th percentile.
    public var percentile99: Double
    /// The longest.
    public var maximum: Double

    fileprivate init(from: String, to: String, _ histogram: Histogram<UInt32>) {
        func milliseconds(_ percentile: Double) -> Double {
            histogram.totalCount == 0 ? 0 : Double(histogram.valueAtPercentile(percentile)) / 1000
        }
        self.from = from
        self.to = to
        self.count = Int(histogram.totalCount)
        self.median = milliseconds(50)
        self.percentile95 = milliseconds(95)
        self.percentile99 = milliseconds(99)
        self.maximum = histogram.totalCount == 0 ? 0 : Double(histogram.maxRecorded) / 1000
    }
}

/// The delay that jitter buffer, repair and decoding add to the network's shortest delay, in milliseconds.
public struct AddedDelay: Codable, Sendable, Equatable {
    /// The shortest time from a frame's sending to its first packet's arrival, which is subtracted.
    public var smallestTransit: Double
    /// The median.
    public var median: Double
    /// The 95th percentile.
    public var percentile95: Double
    /// The longest.
    public var maximum: Double

    fileprivate init(_ fromSending: Histogram<UInt32>, smallestTransit: Double) {
        func added(_ microseconds: UInt64) -> Double { max(0, Double(microseconds) / 1000 - smallestTransit) }
        self.smallestTransit = smallestTransit
        self.median = added(fromSending.valueAtPercentile(50))
        self.percentile95 = added(fromSending.valueAtPercentile(95))
        self.maximum = added(fromSending.maxRecorded)
    }
}
