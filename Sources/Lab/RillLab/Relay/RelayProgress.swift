package import RillCore
import RillLink

/// A few statistics of a running relay, over all pairs, for frequent reading. A full report contains the histograms,
/// and the next datagram would wait while they are copied.
package struct RelayProgress: Sendable {
    package struct Direction: Sendable {
        /// Datagrams that were sent over the links, and their bytes.
        package var came = 0
        package var cameBytes = 0
        /// The ones among them that the links dropped.
        package var lost = 0
    }

    /// The time since the schedule started.
    package var duration = MediaDuration.zero
    package var forward = Direction()
    package var back = Direction()
    package var onTheWay = 0
    /// The 99th percentile of the timer's lateness, in the worse direction; milliseconds.
    package var lateness: Double?

    /// Creates zero counters.
    package init() {}
}

extension RelayProgress.Direction {
    mutating func add(_ statistics: LinkStatistics) {
        came += statistics.sent
        cameBytes += statistics.sentBytes
        lost += statistics.lost + statistics.droppedByQueue + statistics.refused
    }
}
