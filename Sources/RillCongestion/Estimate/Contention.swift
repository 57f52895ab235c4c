import RillCore

/// Whether others share the bottleneck's queue.
///
/// A queue that our own packets do not explain is that of others, or our own from when the path carried more. A trial tells: for a moment much
/// less is sent. Our own queue then drains and does not come back.
struct Contention: Sendable {
    private enum State: Equatable, Sendable {
        case alone
        case shared
        /// Little is sent.
        case test(end: MediaTime)
        /// A queue that comes now is that of others.
        case observation(start: MediaTime, end: MediaTime)
    }

    private var state = State.alone
    /// Whether a queue stood at the update before.
    private var wasStanding = false
    /// Whether a trial has shown that the others are there.
    private(set) var isConfirmed = false
    private var lastSeen = MediaTime.zero
    private var nextTest = MediaTime.zero

    /// Without a foreign queue for so long, nobody else is there.
    private static let memory = MediaDuration.seconds(3)
    private static let test = MediaDuration.milliseconds(500)
    /// What is left of the queue when feedback of the trial has come.
    private static let drainTime = MediaDuration.milliseconds(250)
    private static let observation = MediaDuration.milliseconds(1000)
    /// From the first sight of others to the first trial, and between trials.
    private static let intervals = (MediaDuration.seconds(3), MediaDuration.seconds(10))

    /// Whether others are taken to be there.
    var isDetected: Bool { state == .shared }
    /// Whether little is to be sent, to see whether the queue is our own.
    var isTesting: Bool { if case .test = state { true } else { false } }
    /// Whether a trial was made, and others may show up again.
    var isObserving: Bool { if case .observation = state { true } else { false } }

    /// Notes whether a foreign queue stands, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - isStanding: whether one does.
    ///   - roundTrip: from departure to feedback, in seconds.
    ///   - now: the current time.
    /// - Returns: whether a trial ends now.
    mutating func update(isStanding: Bool, roundTrip: Double, at now: MediaTime) -> Bool {
        defer { wasStanding = isStanding }
        switch state {
        case .alone:
            // Seen once is no queue: the first packet after a step up makes those before it look late.
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
