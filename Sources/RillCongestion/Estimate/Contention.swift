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
        case verdict(end: MediaTime)
    }

    private var state = State.alone
    private var lastSeen = MediaTime.zero
    private var nextTrial = MediaTime.zero

    /// Without a foreign queue for so long, nobody else is there.
    private static let memory = MediaDuration.seconds(3)
    private static let trial = MediaDuration.milliseconds(400)
    private static let verdict = MediaDuration.milliseconds(1500)
    /// From the first sight of others to the first trial, and between trials.
    private static let intervals = (MediaDuration.seconds(3), MediaDuration.seconds(10))

    /// Whether others are taken to be there.
    var isSeen: Bool { state == .shared }
    /// Whether little is to be sent, to see whether the queue is our own.
    var isTrying: Bool { if case .trial = state { true } else { false } }
    /// Whether a trial was made, and others may show up again.
    var isJudging: Bool { if case .verdict = state { true } else { false } }

    /// Notes whether a foreign queue stands, after the packets of a feedback.
    mutating func update(isStanding: Bool, at now: MediaTime) {
        switch state {
        case .alone:
            guard isStanding else { return }
            (state, lastSeen, nextTrial) = (.shared, now, now + Contention.intervals.0)
        case .shared:
            if isStanding { lastSeen = now }
            if now - lastSeen > Contention.memory { state = .alone }
            if now >= nextTrial { state = .trial(end: now + Contention.trial) }
        case .trial(let end):
            if now >= end { state = .verdict(end: now + Contention.verdict) }
        case .verdict(let end):
            if isStanding {
                (state, lastSeen, nextTrial) = (.shared, now, now + Contention.intervals.1)
            } else if now >= end {
                state = .alone
            }
        }
    }
}
