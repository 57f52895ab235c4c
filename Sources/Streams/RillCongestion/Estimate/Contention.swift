import RillCore

/// Detects competing flows in the bottleneck's queue.
///
/// A queueing delay that our own packets do not explain has two possible causes: cross traffic, or a capacity that
/// fell. A yield test distinguishes them. For 500 ms we send at most 80 % of the capacity. Our own queue drains and
/// does not return; a queue of competing flows does.
///
/// Delay-based flows need longer than a test to return. Where the dispersion of packets shows them (``CapacityMode``),
/// no test is made. They are gone when no queue has stood for 8 s, or when we have had nearly all of the capacity.
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
    /// When we had less than nearly all of the capacity the last time.
    private var lastPart = MediaTime.zero
    private var nextTest = MediaTime.zero

    /// After this time without a cross-traffic queue, the competing flows are gone.
    private static let memory = MediaDuration.seconds(3)
    /// The same for flows that the dispersion of packets shows. GCC backs off every 5 to 8 s.
    private static let evidentMemory = MediaDuration.seconds(8)
    /// After this time with nearly all of the capacity, the competing flows are gone.
    private static let wholeTime = MediaDuration.seconds(2)
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
    ///   - isEvident: whether the dispersion of packets shows competing flows.
    ///   - isWhole: whether our rate is nearly all of the capacity.
    ///   - roundTrip: the time from a packet's departure to its feedback, in seconds.
    ///   - now: the current time.
    /// - Returns: whether a yield test ends now.
    mutating func update(
        isStanding: Bool, isEvident: Bool = false, isWhole: Bool = false, roundTrip: Double, at now: MediaTime
    ) -> Bool {
        defer { wasStanding = isStanding }
        switch state {
        case .alone:
            // A single observation is no queue: the first packet after an increase of the capacity makes earlier ones
            // look late.
            guard isStanding, wasStanding else { return false }
            (state, lastSeen, lastPart, nextTest) = (.shared, now, now, now + Contention.intervals.0)
        case .shared:
            if isStanding { lastSeen = now }
            if !isWhole { lastPart = now }
            let memory = isEvident ? Contention.evidentMemory : Contention.memory
            let isGone = now - lastSeen > memory || isEvident && now - lastPart > Contention.wholeTime
            if isGone { (state, isConfirmed) = (.alone, false) }
            if now >= nextTest, !isEvident { state = .test(end: now + Contention.test) }
        case .test(let end):
            guard now >= end else { return false }
            let start = now + .seconds(roundTrip) + Contention.drainTime
            state = .observation(start: start, end: start + Contention.observation)
            return true
        case .observation(let start, let end):
            if isStanding, now >= start {
                (state, isConfirmed, lastSeen, lastPart) = (.shared, true, now, now)
                nextTest = now + Contention.intervals.1
            } else if now >= end {
                (state, isConfirmed) = (.alone, false)
            }
        }
        return false
    }
}
