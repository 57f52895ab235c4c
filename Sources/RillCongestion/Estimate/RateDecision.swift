public import RillCore

/// What a ``BandwidthEstimate`` decided at an update, with the numbers that led to it. Rates include all packets and headers.
public enum RateDecision: Equatable, Sendable {
    /// Nothing yet.
    case none
    /// The rate follows the capacity that packet trains show.
    ///
    /// - Parameters:
    ///   - capacity: what trains show.
    ///   - queue: what stands in the queue beside our own packets.
    case follow(capacity: Bitrate, queue: MediaDuration)
    /// Trains arrive as they left: the path carries at least that rate.
    case rise(seen: Bitrate)
    /// Others share the queue: the rate moves until the queue is what a flow of this rate aims at.
    ///
    /// - Parameters:
    ///   - queue: what stands in the queue beside our own packets.
    ///   - target: the queue at which the rate would stay.
    case share(queue: MediaDuration, target: MediaDuration)
    /// Trains say nothing: the rate rises until a queue stands, and falls with it.
    case search(queue: MediaDuration)
    /// The rate stays: too little was sent to tell whether the path carries more.
    ///
    /// - Parameter acknowledged: the rate that arrived.
    case hold(acknowledged: Bitrate)
    /// The rate stays low while the queue of a cut drains.
    case drain(queue: MediaDuration)
    /// The rate was cut at once.
    case cut(RateCut)
    /// A probe was asked for.
    case probe(ProbeCluster)
    /// No feedback came for so long, and the rate was halved.
    case silence(MediaDuration)
    /// The estimate began anew.
    case restart
}

/// Why a rate was cut, and what had arrived.
public enum RateCut: Equatable, Sendable {
    /// Packets arrived much more slowly than they left, behind a queue.
    ///
    /// - Parameters:
    ///   - acknowledged: the rate at which the newest arrived.
    ///   - queue: how long they waited beside what our own packets explain.
    case overload(acknowledged: Bitrate, queue: MediaDuration)
    /// A share of the packets was lost that is too high to be chance, without a queue.
    ///
    /// - Parameters:
    ///   - acknowledged: the rate that arrived.
    ///   - perMille: the lost packets of a thousand.
    case loss(acknowledged: Bitrate, perMille: Int)
}
