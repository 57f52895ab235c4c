import RillCore

/// How much the capacity changes by itself: little on a line or among flows that share one, much on a radio link.
struct CapacityScatter: Sendable {
    /// The mean of a second, in bits per second; 0 before the first reading. It follows what changes slowly, as a share among flows does.
    private var mean = 0.0
    /// The mean distance from that over some seconds, as a share of it.
    private var deviation = 0.0
    private var last: MediaTime?

    /// The time constants of both, in seconds.
    private static let times = (mean: 1.0, deviation: 4.0)
    /// Readings of a capacity that stays the same scatter by a few percent, those of a radio link by a third.
    private static let limit = 0.15

    /// Whether the capacity stays the same for some seconds.
    var isSteady: Bool { deviation < CapacityScatter.limit }

    /// Adds a reading of the capacity, in bits per second.
    mutating func add(_ capacity: Double, at now: MediaTime) {
        let elapsed = last.map { min((now - $0).seconds, 1) } ?? 0
        last = now
        guard mean > 0 else {
            mean = capacity
            return
        }
        let distance = abs(capacity - mean) / mean
        deviation += (distance - deviation) * elapsed / (elapsed + CapacityScatter.times.deviation)
        mean += (capacity - mean) * elapsed / (elapsed + CapacityScatter.times.mean)
    }
}
