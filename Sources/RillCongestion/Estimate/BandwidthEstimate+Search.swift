import RillCore

/// How the rate moves where trains say nothing: jitter hides them, or every frame fits into one packet.
extension BandwidthEstimate {
    /// A ceiling below so small a share of what is sent without a queue was none.
    private static let refutation = 1.3
    /// What stands by chance in a fast rise, in seconds.
    private static let fastRiseQueue = 0.006
    /// The shares of a known ceiling that are aimed at while nothing higher is tried, and below which a queue drains.
    private static let gains = (steady: 0.975, drain: 0.955)

    /// Rises until a queue stands, then falls below what arrives: that is the capacity, which the next rise approaches slowly.
    mutating func search(at now: MediaTime) -> Double {
        decision = .search(queue: duration(path.queue.standing))
        let calm = ceiling.calm(at: now)
        // A queue seen by chance ends a rise at most; elsewhere it must be longer.
        let isRising = bits > 0.97 * (ceiling.rate ?? 0) && calm > 0
        let isBeyond = bits > BandwidthEstimate.refutation * (ceiling.rate ?? 0)
        let isFast = isRising && ceiling.confirmations < Ceiling.confident || isBeyond
        if path.queue.standing > (isFast ? BandwidthEstimate.fastRiseQueue : isRising ? 0 : path.queue.noise) {
            // What stands after a cut says nothing of the present rate.
            guard now > holdUntil + .seconds(1) else { return bits }
            let arriving = min(path.acknowledged.smoothed, 1.1 * bits)
            ceiling.record(arriving, sending: bits, queue: path.queue.standing, at: now)
            return min(
                bits, (ceiling.rate ?? arriving) * (BandwidthEstimate.gains.drain - 5 * min(path.queue.standing, 0.08))
            )
        }
        // A fast rise makes a long queue. A short one may be chance, and would become a ceiling far too low.
        if isFast, path.queue.standing > 0 { return bits }
        ceiling.recordEmptyQueue()
        // Nothing is known beyond what arrives.
        let most = max(1.5 * path.acknowledged.smoothed + 10_000, bits)
        if most == bits { decision = .hold(acknowledged: bitrate(path.acknowledged.smoothed)) }
        guard let top = ceiling.rate, !isBeyond else { return min(bits * 1.16, most) }
        if bits < 0.9 * top { return min(bits * 1.06, most) }
        guard calm > 0 else { return min(bits + 0.2 * (BandwidthEstimate.gains.steady * top - bits), most) }
        // Slowly at first: just above the ceiling the queue grows, and is seen late.
        let growth = ceiling.confirmations < Ceiling.confident ? 0.04 : min(0.008 + 0.01 * max(0, calm - 2.5), 0.1)
        return min(bits * (1 + growth), most)
    }
}
