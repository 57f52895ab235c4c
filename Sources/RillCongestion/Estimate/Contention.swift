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
        case trial(end: MediaTime)
        /// A queue that comes now is that of others.
        case verdict(start: MediaTime, end: MediaTime)
    }

    private var state = State.alone
    /// Whether a queue stood at the update before.
    private var stood = false
    /// Whether a trial has shown that the others are there.
    private(set) var isConfirmed = false
    private var lastSeen = MediaTime.zero
    private var nextTrial = MediaTime.zero

    /// Without a foreign queue for so long, nobody else is there.
    private static let memory = MediaDuration.seconds(3)
    private static let trial = MediaDuration.milliseconds(500)
    /// What is left of the queue when feedback of the trial has come.
    private static let settling = MediaDuration.milliseconds(250)
    private static let verdict = MediaDuration.milliseconds(1000)
    /// From the first sight of others to the first trial, and between trials.
    private static let intervals = (MediaDuration.seconds(3), MediaDuration.seconds(10))

    /// Whether others are taken to be there.
    var isSeen: Bool { state == .shared }
    /// Whether little is to be sent, to see whether the queue is our own.
    var isTried: Bool { if case .trial = state { true } else { false } }
    /// Whether a trial was made, and others may show up again.
    var isJudged: Bool { if case .verdict = state { true } else { false } }

    /// Notes whether a foreign queue stands, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - isStanding: whether one does.
    ///   - roundTrip: from departure to feedback, in seconds.
    ///   - now: the current time.
    /// - Returns: whether a trial ends now.
    mutating func update(isStanding: Bool, roundTrip: Double, at now: MediaTime) -> Bool {
        defer { stood = isStanding }
        switch state {
        case .alone:
            // Seen once is no queue: the first packet after a step up makes those before it look late.
            guard isStanding, stood else { return false }
            (state, lastSeen, nextTrial) = (.shared, now, now + Contention.intervals.0)
        case .shared:
            if isStanding { lastSeen = now }
            if now - lastSeen > Contention.memory { (state, isConfirmed) = (.alone, false) }
            if now >= nextTrial { state = .trial(end: now + Contention.trial) }
        case .trial(let end):
            guard now >= end else { return false }
            let start = now + .seconds(roundTrip) + Contention.settling
            state = .verdict(start: start, end: start + Contention.verdict)
            return true
        case .verdict(let start, let end):
            if isStanding, now >= start {
                (state, isConfirmed, lastSeen, nextTrial) = (.shared, true, now, now + Contention.intervals.1)
            } else if now >= end {
                (state, isConfirmed) = (.alone, false)
            }
        }
        return false
    }
}
