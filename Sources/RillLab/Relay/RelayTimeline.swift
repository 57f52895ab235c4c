package import RillCore
import RillLink

/// What happened in one direction of a pair in one interval.
package struct RelayInterval: MergeableInterval {
    /// Datagrams that came and were sent over the link, and their bytes.
    package var came: Int32 = 0
    package var cameBytes: Int64 = 0
    /// Of those, the ones that the link lost behind its bottleneck.
    package var lost: Int32 = 0
    /// Of those, the ones that the bottleneck's queue had no room for, or the link.
    package var dropped: Int32 = 0
    /// Datagrams that left, copies included, and their bytes.
    package var left: Int32 = 0
    package var leftBytes: Int64 = 0
    /// Delays as the link has them, in milliseconds, of what came.
    package var scheduledDelay = Spread()
    /// Delays as they were, in milliseconds, of what came and has left.
    package var actualDelay = Spread()
    /// How late the relay's own timer was, in milliseconds, for what left.
    package var lateness = Spread()
    /// Datagrams on their way, seen by each that came.
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

/// Intervals of equal length since the schedule began.
package struct RelayTimeline: Sendable {
    /// How long each is.
    package let length: MediaDuration
    /// Up to the last one in which anything happened.
    package let intervals: [RelayInterval]
}
