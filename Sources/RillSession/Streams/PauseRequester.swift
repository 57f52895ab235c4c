import RillCore
import RillRTP

/// Asks the sender of one stream to pause, and to go on, until it does: the receiving side of RFC 7728.
///
/// Tell it what is wanted, what has come of the stream and what its sender says of pauses; at ``deadline`` ask
/// ``request(roundTripTime:at:)`` what to say. Requests are lost, and answers too, so they are repeated until their effect shows:
///
/// - PAUSE, until PAUSED has come. It bears a number of its own; the sender takes none that is not newer than the last.
/// - RESUME, until a packet has come that the sender cannot have sent before it heard of that. It bears the number of the PAUSE that it
///   takes back, so that the two may overtake each other on the way.
struct PauseRequester: Sendable {
    /// What the sender does, as far as known.
    enum State: UInt8, Sendable {
        /// It sends.
        case flowing
        /// It is asked to pause.
        case pausing
        /// It has said that it pauses.
        case paused
        /// It is asked to go on.
        case resuming
        /// The same, before it was known to have paused: what comes says little, for it may have been sent before that.
        case resumingBlindly
        /// It does not pause.
        case refused
    }

    /// How a PAUSED is to be taken.
    enum PausedMeaning: Sendable {
        /// It answers our request.
        case ours
        /// The sender pauses by its own decision.
        case theirs
        /// It was overtaken.
        case stale
    }

    private(set) var state = State.flowing
    /// When something is to be said, if nothing comes before.
    private(set) var deadline = MediaTime.distantFuture
    /// Number of the last PAUSE; `nil` before the first.
    private var number: UInt16?
    /// The least number of the next one.
    private var next: UInt16 = 0
    private var attempts = 0
    private var lastPause = MediaTime.zero
    private var refusals = 0
    private var isWanted = true
    /// A pause that we have not asked for, and want to end all the same: somebody else may have, with our name.
    private var probe = Probe()

    private struct Probe {
        var number: UInt16?
        var isDue = false
        var spacing = PauseRequester.longestWait
        var lastTime: MediaTime?
    }

    /// What is to be said.
    struct Request: Equatable, Sendable {
        var kind: PauseResume.Kind
        var pauseID: UInt16
    }

    /// What comes of the stream, or is said of it, is to be told.
    var isWaiting: Bool { state != .flowing && state != .refused }

    // MARK: What is wanted

    /// The stream is wanted, or is not.
    mutating func want(_ isWanted: Bool, at now: MediaTime) {
        self.isWanted = isWanted
        switch (isWanted, state) {
        case (false, .flowing), (false, .resuming), (false, .resumingBlindly): beginPause(at: now)
        case (true, .pausing): begin(.resumingBlindly, at: now)
        case (true, .paused): begin(.resuming, at: now)
        case (true, .refused): settle(.flowing)
        case (false, .pausing), (false, .paused), (false, .refused), (true, .flowing), (true, .resuming),
            (true, .resumingBlindly):
            break
        }
    }

    private mutating func beginPause(at now: MediaTime) {
        number = next
        next &+= 1
        begin(.pausing, at: now)
    }

    private mutating func begin(_ state: State, at now: MediaTime) {
        if state == .pausing { refusals = 0 }
        self.state = state
        attempts = 0
        deadline = now
    }

    private mutating func settle(_ state: State) {
        self.state = state
        deadline = .distantFuture
    }

    // MARK: What to say

    /// What to say now, if anything; takes note that it is said.
    mutating func request(roundTripTime: MediaDuration, at now: MediaTime) -> Request? {
        guard deadline <= now else { return nil }
        if probe.isDue, let number = probe.number {
            probe.isDue = false
            probe.lastTime = now
            if state == .flowing { deadline = .distantFuture }
            return Request(kind: .resume, pauseID: number)
        }
        if state == .refused { beginPause(at: now) }
        guard let kind = kind(roundTripTime, at: now), let number else { return nil }
        return Request(kind: kind, pauseID: number)
    }

    private mutating func kind(_ roundTripTime: MediaDuration, at now: MediaTime) -> PauseResume.Kind? {
        let isPause = state == .pausing
        if isPause { lastPause = now }
        deadline = now + wait(isPause: isPause, roundTripTime)
        attempts += 1
        switch state {
        case .pausing:
            // Who neither sends nor answers has paused, or is gone.
            if attempts >= PauseRequester.silentAttempts { deadline = .distantFuture }
            return .pause
        case .resuming, .resumingBlindly: return .resume
        case .flowing, .paused, .refused:
            deadline = .distantFuture
            return nil
        }
    }

    /// How long an answer is waited for. A pause that comes later costs a few packets. What is wanted is waited for by somebody: a RESUME
    /// that is lost, or whose answer is, costs a fraction of a round trip.
    private func wait(isPause: Bool, _ roundTripTime: MediaDuration) -> MediaDuration {
        if isPause {
            return min((roundTripTime + .milliseconds(50)) * (1 << min(attempts, 5)), PauseRequester.longestWait)
        }
        if attempts == 0 { return max(.milliseconds(25), roundTripTime / 4) }
        let usual = max(.milliseconds(50), roundTripTime / 2)
        return min(usual * (1 << max(0, min(attempts - PauseRequester.quickAttempts, 5))), PauseRequester.longestWait)
    }

    /// So many requests of what is waited for keep their distance; then it grows.
    private static let quickAttempts = 10
    private static let longestWait = MediaDuration.seconds(1)
    private static let silentAttempts = 6

    // MARK: What comes

    /// A packet has come of the stream's own source, and of none that PAUSED had left behind.
    mutating func notePacket(roundTripTime: MediaDuration, at now: MediaTime) {
        switch state {
        case .flowing, .refused: break
        case .pausing:
            // It was believed to have paused without a word.
            if deadline == .distantFuture { begin(.pausing, at: now) }
        case .paused: beginPause(at: now)
        case .resuming: settle(.flowing)
        case .resumingBlindly:
            // Had it paused, nothing would come so long after it was asked to.
            if now - lastPause > roundTripTime + PauseRequester.straggling { settle(.flowing) }
        }
    }

    /// By how much packets may be late.
    private static let straggling = MediaDuration.milliseconds(20)

    /// PAUSED has come with that number.
    mutating func notePaused(_ told: UInt16, at now: MediaTime) -> PausedMeaning {
        guard let number, told != number else { return number == nil ? noteTheirs(told, at: now) : noteOurs(at: now) }
        return Int16(bitPattern: told &- number) > 0 ? noteTheirs(told, at: now) : .stale
    }

    private mutating func noteOurs(at now: MediaTime) -> PausedMeaning {
        switch state {
        case .pausing, .paused: settle(.paused)
        case .resuming, .resumingBlindly: state = .resuming
        // What had come was sent before the pause, and RESUME was lost.
        case .flowing: begin(.resuming, at: now)
        case .refused: settle(.paused)
        }
        return .ours
    }

    private mutating func noteTheirs(_ told: UInt16, at now: MediaTime) -> PausedMeaning {
        next = told &+ 1
        switch state {
        // It has heard that we want it.
        case .resuming, .resumingBlindly: settle(.flowing)
        case .flowing where isWanted: ask(toEnd: told, at: now)
        // The number was taken.
        case .pausing, .paused: beginPause(at: now)
        case .flowing, .refused: break
        }
        return .theirs
    }

    /// Asks, less and less often, whether the pause ends: of a sender that pauses by its own decision it does not.
    private mutating func ask(toEnd told: UInt16, at now: MediaTime) {
        if probe.number != told { probe = Probe(number: told) }
        if let last = probe.lastTime {
            guard now - last >= probe.spacing else { return }
            probe.spacing = min(probe.spacing * 2, PauseRequester.longestSpacing)
        }
        probe.isDue = true
        deadline = now
    }

    private static let longestSpacing = MediaDuration.seconds(32)

    /// REFUSED has come with that number: the last that the sender has taken, or that of the request.
    mutating func noteRefused(_ told: UInt16, at now: MediaTime) {
        guard let number, Int16(bitPattern: told &- number) >= 0 || state == .pausing else { return }
        switch state {
        case .pausing:
            refusals += 1
            guard refusals <= PauseRequester.mostRefusals else {
                settle(.refused)
                deadline = now + PauseRequester.longestSpacing
                return
            }
            next = told &+ 1
            let refusals = refusals
            beginPause(at: now)
            self.refusals = refusals
        case .resuming, .resumingBlindly: settle(.flowing)
        case .flowing, .paused, .refused: break
        }
    }

    private static let mostRefusals = 3
}
