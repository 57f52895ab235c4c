import RillCore
import RillRTP

/// Asks the sender of one stream to pause, or to resume, until it does: the receiving side of RFC 7728.
///
/// Tell it what is wanted, which packets arrive, and the sender's pause messages. Call ``request(roundTripTime:at:)``
/// at ``deadline`` for the message to send. Requests and answers may be lost, so requests are repeated until their
/// effect shows:
///
/// - PAUSE, until PAUSED arrives. It has a new PauseID; the sender only accepts one that is newer than the last.
/// - RESUME, until a packet arrives that the sender must have sent after it received the request. It has the PauseID
///   of the PAUSE that it ends, so that the two may overtake each other.
struct PauseRequester: Sendable {
    /// What the sender does, as far as known.
    enum State: UInt8, Sendable {
        /// It sends.
        case flowing
        /// It is asked to pause.
        case pausing
        /// It reported that it is paused.
        case paused
        /// It is asked to resume.
        case resuming
        /// It is asked to resume, but was never known to have paused. Packets prove little: they may have been sent
        /// before the pause.
        case resumingBlindly
        /// It refuses to pause.
        case refused
    }

    /// How to interpret a PAUSED.
    enum PausedMeaning: Sendable {
        /// It answers our request.
        case ours
        /// The sender pauses by its own decision.
        case theirs
        /// It is outdated.
        case stale
    }

    private(set) var state = State.flowing
    /// When a message is due, if nothing arrives before.
    private(set) var deadline = MediaTime.distantFuture
    /// PauseID of the last PAUSE; `nil` before the first.
    private var number: UInt16?
    /// The lowest PauseID of the next one.
    private var next: UInt16 = 0
    private var attempts = 0
    private var lastPause = MediaTime.zero
    private var refusals = 0
    private var isWanted = true
    /// A pause that we did not request, but want to end: another receiver may have requested it in our name.
    private var probe = Probe()

    private struct Probe {
        var number: UInt16?
        var isDue = false
        var spacing = PauseRequester.longestWait
        var lastTime: MediaTime?
    }

    /// A message to send.
    struct Request: Equatable, Sendable {
        var kind: PauseResume.Kind
        var pauseID: UInt16
    }

    /// Whether packets and pause messages of the stream must be noted here.
    var isWaiting: Bool { state != .flowing && state != .refused }

    // MARK: Wanted or not

    /// Sets whether the stream is wanted.
    mutating func want(_ isWanted: Bool, at now: MediaTime) {
        self.isWanted = isWanted
        switch (isWanted, state) {
        case (false, .flowing), (false, .resuming), (false, .resumingBlindly): beginPause(at: now)
        case (true, .pausing): begin(.resumingBlindly, at: now)
        case (true, .paused): begin(.resuming, at: now)
        case (true, .refused): conclude(.flowing)
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

    private mutating func conclude(_ state: State) {
        self.state = state
        deadline = .distantFuture
    }

    // MARK: Messages to send

    /// Returns the message to send now, if any, and counts it as sent.
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
            // A sender that neither sends nor answers has paused, or is gone.
            if attempts >= PauseRequester.silentAttempts { deadline = .distantFuture }
            return .pause
        case .resuming, .resumingBlindly: return .resume
        case .flowing, .paused, .refused:
            deadline = .distantFuture
            return nil
        }
    }

    /// How long to wait for an answer. A late pause costs a few packets. A wanted stream has a viewer who waits: a
    /// lost RESUME, or a lost answer to it, costs a fraction of a round trip.
    private func wait(isPause: Bool, _ roundTripTime: MediaDuration) -> MediaDuration {
        if isPause {
            return min((roundTripTime + .milliseconds(50)) * (1 << min(attempts, 5)), PauseRequester.longestWait)
        }
        if attempts == 0 { return max(.milliseconds(25), roundTripTime / 4) }
        let usual = max(.milliseconds(50), roundTripTime / 2)
        return min(usual * (1 << max(0, min(attempts - PauseRequester.quickAttempts, 5))), PauseRequester.longestWait)
    }

    /// This many RESUME requests keep their interval; after that it grows.
    private static let quickAttempts = 10
    private static let longestWait = MediaDuration.seconds(1)
    private static let silentAttempts = 6

    // MARK: Packets and messages received

    /// Notes a packet of the stream's own SSRC that is not from before the pause.
    mutating func notePacket(roundTripTime: MediaDuration, at now: MediaTime) {
        switch state {
        case .flowing, .refused: break
        case .pausing:
            // It was believed to have paused silently.
            if deadline == .distantFuture { begin(.pausing, at: now) }
        case .paused: beginPause(at: now)
        case .resuming: conclude(.flowing)
        case .resumingBlindly:
            // If it had paused, nothing would arrive this long after the request.
            if now - lastPause > roundTripTime + PauseRequester.straggling { conclude(.flowing) }
        }
    }

    /// How late packets may be.
    private static let straggling = MediaDuration.milliseconds(20)

    /// Notes a PAUSED with that PauseID.
    mutating func notePaused(_ told: UInt16, at now: MediaTime) -> PausedMeaning {
        guard let number, told != number else { return number == nil ? noteTheirs(told, at: now) : noteOurs(at: now) }
        return Int16(bitPattern: told &- number) > 0 ? noteTheirs(told, at: now) : .stale
    }

    private mutating func noteOurs(at now: MediaTime) -> PausedMeaning {
        switch state {
        case .pausing, .paused: conclude(.paused)
        case .resuming, .resumingBlindly: state = .resuming
        // The packets that arrived were sent before the pause, and RESUME was lost.
        case .flowing: begin(.resuming, at: now)
        case .refused: conclude(.paused)
        }
        return .ours
    }

    private mutating func noteTheirs(_ told: UInt16, at now: MediaTime) -> PausedMeaning {
        next = told &+ 1
        switch state {
        // It knows that we want the stream.
        case .resuming, .resumingBlindly: conclude(.flowing)
        case .flowing where isWanted: ask(toEnd: told, at: now)
        // The PauseID was taken.
        case .pausing, .paused: beginPause(at: now)
        case .flowing, .refused: break
        }
        return .theirs
    }

    /// Asks at growing intervals whether the pause ends. A sender that pauses by its own decision does not resume.
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

    /// Notes a REFUSED with that PauseID: the last that the sender has accepted, or that of the request.
    mutating func noteRefused(_ told: UInt16, at now: MediaTime) {
        guard let number, Int16(bitPattern: told &- number) >= 0 || state == .pausing else { return }
        switch state {
        case .pausing:
            refusals += 1
            guard refusals <= PauseRequester.mostRefusals else {
                conclude(.refused)
                deadline = now + PauseRequester.longestSpacing
                return
            }
            next = told &+ 1
            let refusals = refusals
            beginPause(at: now)
            self.refusals = refusals
        case .resuming, .resumingBlindly: conclude(.flowing)
        case .flowing, .paused, .refused: break
        }
    }

    private static let mostRefusals = 3
}

/// Handles the remote side's requests to pause and resume one stream that is sent: the sending side of RFC 7728.
///
/// Each PAUSE has a new PauseID, and the RESUME that ends it carries the same one. So requests may be repeated, lost
/// or reordered, and an old one changes nothing. A pause by our own decision also takes a PauseID, to distinguish it
/// from theirs.
struct PauseAnswerer: Sendable {
    /// Whether the remote side has paused the stream.
    private(set) var isPaused = false
    /// The lowest PauseID that a new request may have.
    private var next: UInt16 = 0

    /// The outcome of a request.
    enum Answer: Sendable {
        /// The request is followed.
        case changed
        /// It was already followed: the answer was lost, or has not arrived yet.
        case repeated
        /// A newer request overtook it.
        case stale
    }

    /// PauseID of the last pause; before the first pause, the one before the first ID.
    var pauseID: UInt16 { next &- 1 }

    mutating func pause(_ number: UInt16) -> Answer {
        guard isNew(number) else { return number == pauseID && isPaused ? .repeated : .stale }
        next = number &+ 1
        defer { isPaused = true }
        return isPaused ? .repeated : .changed
    }

    mutating func resume(_ number: UInt16) -> Answer {
        // This RESUME ends a PAUSE that has not arrived, and may still arrive.
        if isNew(number) { next = number &+ 1 }
        guard number == pauseID else { return .stale }
        defer { isPaused = false }
        return isPaused ? .changed : .repeated
    }

    /// Pauses the stream by our own decision.
    mutating func pauseByOurselves() { next &+= 1 }

    /// Starts over for a new SSRC, for which no request was made.
    mutating func reset() { self = PauseAnswerer() }

    private func isNew(_ number: UInt16) -> Bool { Int16(bitPattern: number &- next) >= 0 }
}
