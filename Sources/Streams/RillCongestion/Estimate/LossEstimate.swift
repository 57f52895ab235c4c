import RillCore

/// The loss fraction of the last one to two seconds.
///
/// Loss alone is not congestion: radio links lose packets while their queues are empty. Heavy loss is taken for
/// congestion nevertheless (``BandwidthEstimate`` has the threshold): a policer drops what exceeds its rate without
/// any queue.
struct LossEstimate: Sendable {
    private var current = (lost: 0, count: 0)
    private var previous = (lost: 0, count: 0)
    private var start: MediaTime?

    /// The loss fraction, 0 to 1. Below 20 packets it is 0, as one lost packet would be a large fraction.
    var share: Double {
        let count = current.count + previous.count
        return count < 20 ? 0 : Double(current.lost + previous.lost) / Double(count)
    }

    /// Adds packets with a known outcome.
    mutating func add(_ count: Int, lost: Int) {
        current.count &+= count
        current.lost &+= lost
    }

    mutating func update(at now: MediaTime) {
        guard let start else {
            self.start = now
            return
        }
        guard now - start >= .seconds(1) else { return }
        (previous, current, self.start) = (now - start < .seconds(2) ? current : (0, 0), (0, 0), now)
    }

    mutating func reset() { self = LossEstimate() }
}
