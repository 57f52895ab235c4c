public import RillCore

/// The decision of a ``BandwidthEstimate`` at an update, with its numbers. Rates include all packets and headers.
public enum RateDecision: Equatable, Sendable {
    /// No decision yet.
    case none
    /// The rate follows the capacity that packet trains measure.
    ///
    /// - Parameters:
    ///   - capacity: the measured capacity.
    ///   - queue: the cross-traffic queueing delay.
    case follow(capacity: Bitrate, queue: MediaDuration)
    /// Trains are not dispersed: the capacity is at least `seen`, and the rate rises.
    case rise(seen: Bitrate)
    /// Competing flows share the queue. The rate moves until the queueing delay meets its target.
    ///
    /// - Parameters:
    ///   - queue: the cross-traffic queueing delay.
    ///   - target: the delay at which the rate would stay.
    case share(queue: MediaDuration, target: MediaDuration)
    /// Delay-based flows share the capacity. The rate rises and falls on the same evidence as theirs (AIMD).
    ///
    /// - Parameters:
    ///   - capacity: the capacity that all share.
    ///   - queue: the cross-traffic queueing delay.
    case compete(capacity: Bitrate, queue: MediaDuration)
    /// Trains measure nothing. The rate rises until a queue stands, and falls with it.
    case search(queue: MediaDuration)
    /// The rate stays: the sender is application-limited, and the capacity beyond the acknowledged rate is unknown.
    ///
    /// - Parameter acknowledged: the acknowledged rate.
    case hold(acknowledged: Bitrate)
    /// The rate stays low until the queue has drained after a cut.
    case drain(queue: MediaDuration)
    /// The rate was cut (multiplicative decrease).
    case cut(RateCut)
    /// A probe cluster was requested.
    case probe(ProbeCluster)
    /// No feedback arrived for this time, and the rate was halved.
    case silence(MediaDuration)
    /// The estimate was reset.
    case restart
}

/// The cause of a cut, with the acknowledged rate.
public enum RateCut: Equatable, Sendable {
    /// The delivery rate fell far below the send rate, with a queue.
    ///
    /// - Parameters:
    ///   - acknowledged: the delivery rate of the newest packets.
    ///   - queue: their queueing delay beyond that of our own packets.
    case overload(acknowledged: Bitrate, queue: MediaDuration)
    /// The loss fraction exceeds the threshold, without a queue.
    ///
    /// - Parameters:
    ///   - acknowledged: the acknowledged rate.
    ///   - perMille: the lost packets of a thousand.
    case loss(acknowledged: Bitrate, perMille: Int)
}
