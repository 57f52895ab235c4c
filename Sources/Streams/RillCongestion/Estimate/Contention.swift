import RillCore

/// Detects competing flows in the bottleneck's queue.
///
/// A queueing delay that our own packets do not explain has two possible causes: cross traffic, or a capacity that
/// fell. A yield test distinguishes them. For 500 ms we send at most 80 % of the capacity. Our own queue drains and
/// does not return; a queue of competing flows does.
struct Contention: Sendable {
    private enum State: Equatable, Sendable {
        case alone
        case shared
        /// The yield test: the rate is low.
        case test(end: MediaTime)
        /// The observation after the test: a queue that appears now is cross traffic.
        case observation(start: MediaTime, end: MediaTime)
    }

    private var state = State.alone
    /// Whether a queue stood at the previous update.
    private var wasStanding = false
    /// Whether a yield test confirmed the cross traffic.
    private(set) var isConfirmed = false
    private var lastSeen = MediaTime.zero
    private var nextTest = MediaTime.zero

    /// After this time without a cross-traffic queue, the competing flows are gone.
    private static let memory = MediaDuration.seconds(3)
    private static let test = MediaDuration.milliseconds(500)
    /// The time that the old queue needs to drain, after the feedback of the test.
    private static let drainTime = MediaDuration.milliseconds(250)
    private static let observation = MediaDuration.milliseconds(1000)
    /// The time from the first detection to the first test, and between two tests.
    private static let intervals = (MediaDuration.seconds(3), MediaDuration.seconds(10))

    /// Whether competing flows are assumed.
    var isDetected: Bool { state == .shared }
    /// Whether a yield test is running, so that the rate must be low.
    var isTesting: Bool { if case .test = state { true } else { false } }
    /// Whether the observation after a test is running.
    var isObserving: Bool { if case .observation = state { true } else { false } }

    /// Updates the state, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - isStanding: whether a cross-traffic queue stands.
    ///   - roundTrip: the time from a packet's departure to its feedback, in seconds.
    ///   - now: the current time.
    /// - Returns: whether a yield test ends now.
    mutating func update(isStanding: Bool, roundTrip: Double, at now: MediaTime) -> Bool {
        defer { wasStanding = isStanding }
        switch state {
        case .alone:
            // A single observation is no queue: the first packet after an increase of the capacity makes earlier ones
            // look late.
            guard isStanding, wasStanding else { return false }
            (state, lastSeen, nextTest) = (.shared, now, now + Contention.intervals.0)
        case .shared:
            if isStanding { lastSeen = now }
            if now - lastSeen > Contention.memory { (state, isConfirmed) = (.alone, false) }
            if now >= nextTest { state = .test(end: now + Contention.test) }
        case .test(let end):
            guard now >= end else { return false }
            let start = now + .seconds(roundTrip) + Contention.drainTime
            state = .observation(start: start, end: start + Contention.observation)
            return true
        case .observation(let start, let end):
            if isStanding, now >= start {
                (state, isConfirmed, lastSeen, nextTest) = (.shared, true, now, now + Contention.intervals.1)
            } else if now >= end {
                (state, isConfirmed) = (.alone, false)
            }
        }
        return false
    }
}
