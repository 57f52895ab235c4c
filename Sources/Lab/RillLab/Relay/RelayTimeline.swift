package import RillCore
import RillLink

/// The events of one direction of a pair in one interval.
package struct RelayInterval: MergeableInterval {
    /// Datagrams that arrived and were sent over the link, and their bytes.
    package var came: Int32 = 0
    package var cameBytes: Int64 = 0
    /// The ones among them that the link lost after its bottleneck.
    package var lost: Int32 = 0
    /// The ones among them that did not fit the bottleneck's queue, or the link.
    package var dropped: Int32 = 0
    /// Departed datagrams, including copies, and their bytes.
    package var left: Int32 = 0
    package var leftBytes: Int64 = 0
    /// Scheduled delays in milliseconds, of datagrams that arrived.
    package var scheduledDelay = Spread()
    /// Actual delays in milliseconds, of datagrams that arrived and have departed.
    package var actualDelay = Spread()
    /// How late the relay's own timer was, in milliseconds, for departed datagrams.
    package var lateness = Spread()
    /// Datagrams in flight, as each arrival found them.
    package var onTheWay = Spread()

    init() {}

    mutating func count(_ outcome: RillLink.SendOutcome, byteCount: Int, onTheWay: Int, at now: MediaTime) {
        came += 1
        cameBytes += Int64(byteCount)
        self.onTheWay.add(Double(onTheWay))
        switch outcome {
        case .queued(let arrival, _, _): scheduledDelay.add((arrival - now).milliseconds)
        case .lost(.random), .lost(.burst), .lost(.blackout): lost += 1
        case .lost(.queueFull), .lost(.linkFull), .lost(.tooLarge): dropped += 1
        }
    }

    mutating func merge(_ other: RelayInterval) {
        came += other.came
        cameBytes += other.cameBytes
        lost += other.lost
        dropped += other.dropped
        left += other.left
        leftBytes += other.leftBytes
        scheduledDelay.merge(other.scheduledDelay)
        actualDelay.merge(other.actualDelay)
        lateness.merge(other.lateness)
        onTheWay.merge(other.onTheWay)
    }
}

/// Intervals of equal length since the schedule started.
package struct RelayTimeline: Sendable {
    /// The length of each.
    package let length: MediaDuration
    /// The intervals up to the last one with an event.
    package let intervals: [RelayInterval]
}
