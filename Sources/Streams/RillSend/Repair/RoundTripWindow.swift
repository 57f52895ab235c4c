import RillCore

/// Recent round-trip times from reports.
///
/// The last eight show the current state of the path. The last 64, about a minute of reports, show its state without
/// queueing.
struct RoundTripWindow: Sendable {
    private var times = InlineArray<64, MediaDuration>(repeating: .zero)
    private var count = 0

    /// The number of round-trip times that show the current state.
    static let recentCount = 8
    /// How much longer than the minimum of the last minute a round trip may take before it is attributed to a queue.
    private static let tolerance = MediaDuration.milliseconds(50)

    mutating func add(_ time: MediaDuration) {
        times[count % times.count] = time
        count += 1
    }

    /// The minimum of the last eight; `nil` before the first.
    var smallest: MediaDuration? { smallest(ofLast: RoundTripWindow.recentCount) }

    /// Whether a queue has built up on the path: each of the last eight took at least twice as long as the minimum of
    /// the last minute, and 50 ms longer.
    var hasStandingQueue: Bool {
        guard let recent = smallest, let least = smallest(ofLast: times.count) else { return false }
        return recent > least + max(least, RoundTripWindow.tolerance)
    }

    private func smallest(ofLast number: Int) -> MediaDuration? {
        var smallest: MediaDuration?
        for place in max(0, count - number)..<count {
            let time = times[place % times.count]
            smallest = min(smallest ?? time, time)
        }
        return smallest
    }
}
