import RillCore

/// The round-trip times that reports told of late: the last eight, for what the way is like now, and the last 64, a minute of
/// reports, for what it is like when nothing waits on it.
struct RoundTripWindow: Sendable {
    private var times = InlineArray<64, MediaDuration>(repeating: .zero)
    private var count = 0

    /// So many are the present.
    static let recentCount = 8
    /// What a round trip may take more than the smallest of a minute before a queue is taken for the reason.
    private static let tolerance = MediaDuration.milliseconds(50)

    mutating func add(_ time: MediaDuration) {
        times[count % times.count] = time
        count += 1
    }

    /// The smallest of the last eight; `nil` before the first.
    var smallest: MediaDuration? { smallest(ofLast: RoundTripWindow.recentCount) }

    /// Whether a queue has grown on the way: each of the last eight took twice as long as the smallest of a minute, and
    /// 50 ms longer.
    var isQueueStanding: Bool {
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
