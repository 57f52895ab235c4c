import RillCore

/// The last eight round-trip times that reports told.
struct RoundTripWindow: Sendable {
    private var times = InlineArray<8, MediaDuration?>(repeating: nil)
    private var next = 0

    mutating func add(_ time: MediaDuration) {
        times[next] = time
        next = (next + 1) % times.count
    }

    /// The smallest; `nil` before the first.
    var smallest: MediaDuration? {
        var smallest: MediaDuration?
        for index in times.indices {
            if let time = times[index] { smallest = min(smallest ?? time, time) }
        }
        return smallest
    }
}
