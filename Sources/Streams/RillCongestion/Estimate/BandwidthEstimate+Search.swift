import RillCore

/// The fallback where packet trains measure nothing: jitter hides the dispersion, or every frame fits into one
/// packet.
///
/// It is a delay-based search, as in GCC or TCP Vegas. The rate grows multiplicatively until a standing queue
/// appears, then falls below the acknowledged rate. That rate becomes the ``Ceiling``, which later rises approach
/// slowly (AIMD with a remembered link capacity).
extension BandwidthEstimate {
    /// A rate of this factor above the ceiling without a standing queue refutes the ceiling.
    private static let refutation = 1.3
    /// The standing queue that ends a fast rise, in seconds. Shorter ones occur by chance, and a fast rise builds a
    /// long one within a round trip.
    private static let fastRiseQueue = 0.006
    /// Multiples of the ceiling: the rate while no probing for more is due, and the rate at which a queue drains.
    private static let gains = (steady: 0.975, drain: 0.955)

    /// The goal of one search step: it rises until a queue stands, then falls below the acknowledged rate.
    ///
    /// Growth for each step is 16 % without a ceiling, 6 % below 90 % of it, and 0.8 to 10 % near or above it. The
    /// time constant of 200 ms in `decide(at:)` turns the step into a rate of growth.
    mutating func search(at now: MediaTime) -> Double {
        decision = .search(queue: duration(path.queue.standing))
        let overdue = ceiling.probingOverdue(at: now)
        // A queue that appears by chance may end a rise, but nothing else. Elsewhere it must exceed the noise.
        let isRising = bits > 0.97 * (ceiling.rate ?? 0) && overdue > 0
        let isBeyond = bits > BandwidthEstimate.refutation * (ceiling.rate ?? 0)
        let isFast = isRising && ceiling.confirmations < Ceiling.confident || isBeyond
        if path.queue.standing > (isFast ? BandwidthEstimate.fastRiseQueue : isRising ? 0 : path.queue.noise) {
            // For a second after a cut, the standing queue is the rest of the old one. It does not depend on the
            // present rate.
            guard now > holdUntil + .seconds(1) else { return bits }
            let arriving = min(path.acknowledged.smoothed, 1.1 * bits)
            ceiling.record(arriving, sending: bits, queue: path.queue.standing, at: now)
            return min(
                bits, (ceiling.rate ?? arriving) * (BandwidthEstimate.gains.drain - 5 * min(path.queue.standing, 0.08))
            )
        }
        // A fast rise builds a long queue. A short one may be noise, and would set a far too low ceiling.
        if isFast, path.queue.standing > 0 { return bits }
        ceiling.recordEmptyQueue()
        // An application-limited sender learns nothing beyond the acknowledged rate. GCC has the same limit (1.5
        // times, plus 10 kbit/s).
        let most = max(1.5 * path.acknowledged.smoothed + 10_000, bits)
        if most == bits { decision = .hold(acknowledged: bitrate(path.acknowledged.smoothed)) }
        guard let top = ceiling.rate, !isBeyond else { return min(bits * 1.16, most) }
        if bits < 0.9 * top { return min(bits * 1.06, most) }
        guard overdue > 0 else { return min(bits + 0.2 * (BandwidthEstimate.gains.steady * top - bits), most) }
        // Probing starts slowly: just above the capacity the queue grows slowly, and is detected late.
        let growth = ceiling.confirmations < Ceiling.confident ? 0.04 : min(0.008 + 0.01 * max(0, overdue - 2.5), 0.1)
        return min(bits * (1 + growth), most)
    }
}
