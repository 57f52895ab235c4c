import RillCore

/// What is known of the flows that compete at the bottleneck.
///
/// A flow that controls its rate by delay, such as GCC, backs off from a queue that grows. Beside it the rate rises as
/// slowly as it does, and falls faster. A loss-based flow, such as CUBIC, keeps the queue full: a rate that yields to
/// it gets nothing.
struct Neighbor: Sendable {
    /// Whether competing flows are evident, and yield to delay.
    private(set) var isDelayBased = false

    private var lossBasedUntil = MediaTime(nanoseconds: .min / 2)
    /// When the queue was short the last time.
    private var lastShort: MediaTime?

    /// A queue above `queue` seconds for `time` is that of a loss-based flow, for the next `memory`. Delay-based flows
    /// build such queues only with single frames.
    private static let lossBased = (
        queue: 0.065, time: MediaDuration.seconds(2), memory: MediaDuration.seconds(10)
    )
    /// The target queue of a rate of 1 Mbit/s beside delay-based flows, in seconds, and its bounds.
    private static let target = (usual: 0.028, range: 0.008...0.06)
    /// The additive increase: half a packet in a round trip plus this time, in seconds, as GCC has it. The frame rate
    /// and the packet size in bits give the packet.
    private static let response = 0.1
    private static let (frameRate, packetBits) = (30.0, 9600.0)
    /// The lowest additive increase, in bits per second each second.
    private static let leastIncrease = 4000.0
    /// The gain of a decrease per second. Four times that of increases, so that a queue ends before GCC backs off.
    static let decreaseSpeed = 0.4

    /// Updates the state, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - isInterleaved: whether packets of other flows lie between ours.
    ///   - queue: the cross-traffic queue in seconds.
    ///   - now: the current time.
    mutating func update(isInterleaved: Bool, queue: Double, at now: MediaTime) {
        if queue < Neighbor.lossBased.queue { lastShort = now }
        let since = lastShort ?? now
        lastShort = since
        if now - since > Neighbor.lossBased.time { lossBasedUntil = now + Neighbor.lossBased.memory }
        isDelayBased = isInterleaved && now >= lossBasedUntil
    }

    /// The target cross-traffic delay of a rate beside delay-based flows, in seconds.
    ///
    /// It is inversely proportional to the rate, so that flows of this kind become equal. Above 1 Mbit/s it falls
    /// faster: there GCC backs off from shorter queues.
    static func targetQueue(_ rate: Double) -> Double {
        let ratio = 1e6 / max(rate, 1)
        let queue = target.usual * ratio * min(ratio.squareRoot(), 1)
        return min(max(queue, target.range.lowerBound), target.range.upperBound)
    }

    /// The increase of a rate beside delay-based flows, in bits per second each second.
    ///
    /// - Parameters:
    ///   - rate: the rate in bits per second.
    ///   - roundTrip: the RTT in seconds.
    static func increase(of rate: Double, roundTrip: Double) -> Double {
        let frame = rate / frameRate
        let packet = frame / max((frame / packetBits).rounded(.up), 1)
        return max(leastIncrease, packet / (2 * (roundTrip + response)))
    }
}
