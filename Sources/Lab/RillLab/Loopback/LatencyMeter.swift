import RillCore

/// Collects how long frames take from each stage to the next, and in total.
struct LatencyMeter {
    private typealias Stage = FrameTimestamps.Stage

    private var steps = Stage.allCases.dropFirst().map { _ in DurationHistogram(longest: LatencyMeter.longest) }
    private var whole = DurationHistogram(longest: LatencyMeter.longest)
    private var fromSending = DurationHistogram(longest: LatencyMeter.longest)
    /// The shortest time that a frame's first packet took over the network.
    private var smallestTransit: MediaDuration?

    /// The stages, created once: `allCases` is a new array each time.
    private static let stages = Stage.allCases
    /// The longest time that is distinguished: 120 kB per stage.
    private static let longest = MediaDuration.seconds(60)

    /// Adds a frame that was shown.
    mutating func add(_ timestamps: FrameTimestamps) {
        for index in steps.indices {
            guard let start = timestamps[Self.stages[index]], let end = timestamps[Self.stages[index + 1]] else {
                continue
            }
            steps[index].add(end - start)
        }
        if let captured = timestamps[.captured], let shown = timestamps[.shown] { whole.add(shown - captured) }
        if let sent = timestamps[.sent], let arrived = timestamps[.arrived], let shown = timestamps[.shown] {
            fromSending.add(shown - sent)
            smallestTransit = min(smallestTransit ?? arrived - sent, arrived - sent)
        }
    }

    /// The delay that the receiving side adds to the network's shortest delay; `nil` if nothing was shown.
    var addedDelay: AddedDelay? {
        smallestTransit.map { AddedDelay(fromSending, smallestTransit: $0.milliseconds) }
    }

    /// The stages in order, then the total.
    var summary: [LatencySummary] {
        let steps = steps.enumerated().map { index, times in
            LatencySummary(from: "\(Self.stages[index])", to: "\(Self.stages[index + 1])", times)
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

    fileprivate init(from: String, to: String, _ times: DurationHistogram) {
        (self.from, self.to, count) = (from, to, times.count)
        let times = times.percentiles
        median = times?.median ?? 0
        percentile95 = times?.percentile95 ?? 0
        percentile99 = times?.percentile99 ?? 0
        maximum = times?.maximum ?? 0
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

    fileprivate init(_ fromSending: DurationHistogram, smallestTransit: Double) {
        func added(_ milliseconds: Double?) -> Double { max(0, (milliseconds ?? 0) - smallestTransit) }
        self.smallestTransit = smallestTransit
        median = added(fromSending.percentile(50))
        percentile95 = added(fromSending.percentile(95))
        maximum = added(fromSending.maximum)
    }
}
