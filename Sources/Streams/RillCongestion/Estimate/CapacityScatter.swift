import RillCore

/// The variability of the measured capacity: low for a wired link or a fair share, high for a radio link.
struct CapacityScatter: Sendable {
    /// The moving average in bits per second; 0 before the first measurement. It follows slow changes, such as those
    /// of a fair share.
    private var mean = 0.0
    /// The mean absolute deviation from the average, relative to it.
    private var deviation = 0.0
    private var last: MediaTime?

    /// The time constants of both, in seconds.
    private static let times = (mean: 1.0, deviation: 4.0)
    /// The measurements of a constant capacity deviate by a few percent, those of a radio link by about a third.
    private static let limit = 0.15

    /// Whether the capacity has been constant for some seconds.
    var isSteady: Bool { deviation < CapacityScatter.limit }

    /// Adds a measurement of the capacity, in bits per second.
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
