import RillCore

/// What is known of the flows that compete at the bottleneck, and the law beside those that yield to delay.
///
/// A flow that controls its rate by delay, such as GCC, backs off from a queue that grows, and answers to nothing else.
/// Beside it the rate does the same (``DelayGradient``): additive increase, and multiplicative decrease. Both take
/// turns then, and their shares become equal, as those of two such flows do. A loss-based flow, such as CUBIC, keeps
/// the queue full: a rate that yields to it gets nothing.
///
/// The decrease is smaller than GCC's, so that two flows of this kind use more of the link. It is proportional to the
/// share of the capacity, and the increase to the inverse of the share: so shares become equal sooner than by constants
/// (generalized AIMD: Yang and Lam, "General AIMD congestion control", ICNP 2000).
struct Neighbor: Sendable {
    /// Whether competing flows are evident, and yield to delay.
    private(set) var isDelayBased = false

    private var lossBasedUntil = Neighbor.never
    /// When the queue was short the last time.
    private var lastShort: MediaTime?
    private var lastEvident = Neighbor.never
    private var lastSeen = Neighbor.never
    private var lastDecrease = Neighbor.never

    private static let never = MediaTime(nanoseconds: .min / 2)
    /// A queue above `queue` seconds for `time` is that of a loss-based flow, for the next `memory`. Delay-based flows
    /// build such queues only with single frames.
    private static let lossBased = (
        queue: 0.065, time: MediaDuration.seconds(2), memory: MediaDuration.seconds(10)
    )
    /// The time for which evidence counts. Frames that leave in step with others' show them now and then.
    private static let memory = MediaDuration.seconds(3)
    /// After this time without any, new evidence needs a queue again.
    private static let longMemory = MediaDuration.seconds(15)
    /// The target queue of a rate of 1 Mbit/s beside flows that pace, in seconds, and its bounds.
    private static let target = (usual: 0.028, range: 0.008...0.06)
    /// The gain of a decrease per second beside flows that pace. Four times that of increases, so that a queue ends
    /// before GCC backs off.
    static let decreaseSpeed = 0.4
    /// The additive increase: half a packet in a round trip plus this time, in seconds, as GCC has it. The frame rate
    /// and the packet size in bits give the packet.
    private static let response = 0.1
    private static let (frameRate, packetBits) = (30.0, 9600.0)
    /// The lowest additive increase, in bits per second each second.
    private static let leastIncrease = 4000.0
    /// The multiple of GCC's increase at half of the capacity, and its bounds.
    private static let increase = (half: 0.6, range: 0.1...1.5)
    /// The decrease at half of the capacity, and its bounds, as shares of the rate. GCC's is 0.15.
    private static let decrease = (half: 0.08, range: 0.02...0.3)
    /// The time from one decrease to the next, in seconds: a round trip within bounds, as in GCC, and the time after
    /// which the gradient shows what a decrease did. GCC's further decreases are to the same share of the acknowledged
    /// rate; here each one would add to the one before.
    private static let decreaseInterval = (roundTrip: 0.01...0.2, more: 0.3)
    /// A queue that grows from nothing, as from a single large frame, is none that a lower rate would end.
    static let shortestQueue = 0.01
    /// The rate after a decrease is at most this multiple of the acknowledged rate.
    static let surplus = 1.1

    /// Updates the state, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - isEvident: whether other flows are seen.
    ///   - queue: the cross-traffic queue in seconds.
    ///   - now: the current time.
    mutating func update(isEvident: Bool, queue: Double, at now: MediaTime) {
        if queue < Neighbor.lossBased.queue { lastShort = now }
        let since = lastShort ?? now
        lastShort = since
        if now - since > Neighbor.lossBased.time { lossBasedUntil = now + Neighbor.lossBased.memory }
        if isEvident { (lastEvident, lastSeen) = (now, now) }
        isDelayBased = now - lastEvident < Neighbor.memory && now >= lossBasedUntil
    }

    /// Whether other flows were seen lately, though an overload may have ended that.
    func wasSeen(at now: MediaTime) -> Bool { now - lastSeen < Neighbor.longMemory }

    /// Forgets the evidence: the capacity may be another one.
    mutating func forget() { (lastEvident, isDelayBased) = (Neighbor.never, false) }

    /// The share of the rate by which it falls, on evidence of a growing queue; `nil` if it fell already for that.
    ///
    /// - Parameters:
    ///   - share: the rate as a share of the capacity.
    ///   - roundTrip: the RTT in seconds.
    ///   - now: the current time.
    mutating func decrease(of share: Double, roundTrip: Double, at now: MediaTime) -> Double? {
        let (bounds, more) = Neighbor.decreaseInterval
        let interval = min(max(roundTrip, bounds.lowerBound), bounds.upperBound) + more
        guard now - lastDecrease > .seconds(interval) else { return nil }
        lastDecrease = now
        let (half, range) = Neighbor.decrease
        return min(max(half * 2 * share, range.lowerBound), range.upperBound)
    }

    /// The increase of a rate, in bits per second each second.
    ///
    /// - Parameters:
    ///   - rate: the rate in bits per second.
    ///   - capacity: the capacity that all share.
    ///   - roundTrip: the RTT in seconds.
    static func increase(of rate: Double, among capacity: Double, roundTrip: Double) -> Double {
        let (half, range) = Neighbor.increase
        let gain = min(max(half * capacity / max(2 * rate, 1), range.lowerBound), range.upperBound)
        return gain * increase(of: rate, roundTrip: roundTrip)
    }

    /// GCC's increase of a rate near the capacity, in bits per second each second.
    ///
    /// - Parameters:
    ///   - rate: the rate in bits per second.
    ///   - roundTrip: the RTT in seconds.
    static func increase(of rate: Double, roundTrip: Double) -> Double {
        let frame = rate / frameRate
        let packet = frame / max((frame / packetBits).rounded(.up), 1)
        return max(leastIncrease, packet / (2 * (roundTrip + response)))
    }

    /// The target cross-traffic delay of a rate beside delay-based flows that pace, in seconds.
    ///
    /// It is inversely proportional to the rate, so that flows of this kind become equal. Above 1 Mbit/s it falls
    /// faster: there GCC backs off from shorter queues.
    static func targetQueue(_ rate: Double) -> Double {
        let ratio = 1e6 / max(rate, 1)
        let queue = target.usual * ratio * min(ratio.squareRoot(), 1)
        return min(max(queue, target.range.lowerBound), target.range.upperBound)
    }
}
