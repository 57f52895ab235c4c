package import RillCore
import RillLink

/// A few figures of a running relay, over all pairs: to be asked for often. A whole report holds the histograms, and the next
/// datagram would have to wait until they are copied.
package struct RelayProgress: Sendable {
    package struct Direction: Sendable {
        /// Datagrams that were sent over the links, and their bytes.
        package var came = 0
        package var cameBytes = 0
        /// Of those, the ones that the links did not let through.
        package var lost = 0
    }

    /// Since the schedule began.
    package var duration = MediaDuration.zero
    package var forward = Direction()
    package var back = Direction()
    package var onTheWay = 0
    /// How late 99 of 100 datagrams at the most left, in the direction that was later; milliseconds.
    package var lateness: Double?

    /// Nothing yet.
    package init() {}
}

extension RelayProgress.Direction {
    mutating func add(_ statistics: LinkStatistics) {
        came += statistics.sent
        cameBytes += statistics.sentBytes
        lost += statistics.lost + statistics.droppedByQueue + statistics.refused
    }
}
