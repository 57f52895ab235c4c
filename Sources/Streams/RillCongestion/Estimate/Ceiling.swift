import RillCore

/// The highest rate without a standing queue, as the delay-based search found it.
///
/// It corresponds to the link capacity estimate of GCC's AIMD: the acknowledged rate while a queue stands. Chance can
/// also cause a queue, so a lower rate replaces a higher one only after a second. Each confirmation of the ceiling
/// doubles the time until the search probes for more.
struct Ceiling: Sendable {
    /// The ceiling in bits per second; `nil` before the first standing queue.
    private(set) var rate: Double?
    /// The number of confirmations in a row.
    private(set) var confirmations = 0

    /// Whether a queue stood at the last update.
    private var isStanding = false
    /// The longest queue of the present episode in seconds, whether it started near the ceiling, and whether the
    /// search was probing then.
    private var peak = (queue: 0.0, isAbove: false, isProbing: false)
    private var standingSince: MediaTime?
    private var last: MediaTime?

    /// A shorter queue may be noise, in seconds: while probing, and at a steady rate.
    private static let minimumQueue = (probing: 0.0005, steady: 0.02)
    /// The search probes after 2 to the power of the confirmations seconds: 32 s at most.
    private static let mostConfirmations = 5
    /// From this number of confirmations on, a rise approaches the ceiling slowly. A chance queue does not lower the
    /// number below it.
    static let confident = 2

    /// The seconds since probing for more became due; negative before.
    func probingOverdue(at now: MediaTime) -> Double {
        guard let last else { return 0 }
        return (now - last).seconds - Double(1 << confirmations)
    }

    /// Records the acknowledged rate while a queue stands.
    ///
    /// - Parameters:
    ///   - arriving: the acknowledged rate in bits per second.
    ///   - sending: the send rate in bits per second.
    ///   - queue: the standing queue beyond the noise, in seconds.
    ///   - now: the current time.
    mutating func record(_ arriving: Double, sending: Double, queue: Double, at now: MediaTime) {
        if !isStanding { begin(arriving, sending: sending, at: now) }
        isStanding = true
        peak.queue = max(peak.queue, queue)
        last = now
        guard let rate, let standingSince else { return }
        let isLower = now - standingSince > .seconds(1) && sending > 1.05 * arriving
        if arriving > rate || isLower { self.rate = rate + (arriving - rate) * 0.1 }
    }

    /// Records that no queue stands.
    mutating func recordEmptyQueue() {
        guard isStanding else { return }
        isStanding = false
        guard peak.isAbove else { return }
        if peak.queue > (peak.isProbing ? Ceiling.minimumQueue.probing : Ceiling.minimumQueue.steady) {
            confirmations = min(confirmations + 1, Ceiling.mostConfirmations)
        } else if peak.isProbing {
            confirmations = max(min(confirmations, Ceiling.confident), confirmations - 1)
        }
    }

    private mutating func begin(_ arriving: Double, sending: Double, at now: MediaTime) {
        standingSince = now
        guard let rate else {
            rate = arriving
            return
        }
        if arriving > 1.12 * rate { (self.rate, confirmations) = (arriving, 0) }
        peak = (0, arriving > 0.88 * rate && sending > 0.97 * rate, probingOverdue(at: now) > 0)
    }
}
