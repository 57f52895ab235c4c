import RillCore

/// The share of packets that were lost in the last one to two seconds.
///
/// Loss alone is not congestion: a radio loses packets while its queue is empty. Loss of every fifth packet is taken as such all the same:
/// a path may drop what is above its rate without a queue.
struct LossEstimate: Sendable {
    private var current = (lost: 0, count: 0)
    private var previous = (lost: 0, count: 0)
    private var start: MediaTime?

    /// The share, from 0 to 1.
    var share: Double {
        let count = current.count + previous.count
        return count < 20 ? 0 : Double(current.lost + previous.lost) / Double(count)
    }

    /// Adds packets.
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
