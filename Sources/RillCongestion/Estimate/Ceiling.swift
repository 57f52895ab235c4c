import RillCore

/// What arrived while a queue stood: the capacity, where trains say nothing.
///
/// A queue may seem to stand by chance, so a lower rate replaces a higher one only after a second. The more often the same rate was found,
/// the longer nothing higher is tried.
struct Ceiling: Sendable {
    /// The rate in bits per second; `nil` before the first queue.
    private(set) var rate: Double?
    /// How often in a row the same rate was found.
    private(set) var confirmations = 0

    /// Whether a queue stands since the last update.
    private var isStanding = false
    /// The longest queue since it stands, in seconds, whether it began above the rate, and whether something higher was tried then.
    private var peak = (queue: 0.0, isAbove: false, isProbing: false)
    private var standingSince: MediaTime?
    private var last: MediaTime?

    /// A shorter queue may be chance, in seconds: where something higher was tried, and where not.
    private static let minimumQueue = (probing: 0.0005, steady: 0.02)
    /// After so many findings nothing higher is tried for 2 to that power seconds.
    private static let mostConfirmations = 5
    /// How often a ceiling was found when it is approached slowly. A queue by chance does not change that.
    static let confident = 2

    /// For how many seconds something higher may be tried; negative while it may not.
    func calm(at now: MediaTime) -> Double {
        guard let last else { return 0 }
        return (now - last).seconds - Double(1 << confirmations)
    }

    /// Notes what arrives while a queue stands.
    ///
    /// - Parameters:
    ///   - arriving: the rate of arrivals in bits per second.
    ///   - sending: the rate that is sent.
    ///   - queue: what stands beyond doubt, in seconds.
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

    /// Notes that no queue stands.
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
        peak = (0, arriving > 0.88 * rate && sending > 0.97 * rate, calm(at: now) > 0)
    }
}
