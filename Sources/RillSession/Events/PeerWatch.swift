import RillCore

/// Watches over the other side: whether it is there, by the packets that come from it.
struct PeerWatch {
    private(set) var state = State.awaited
    /// When a packet came last.
    private var lastArrival = MediaTime.zero
    private let interruptedAfter: MediaDuration
    private let lostAfter: MediaDuration

    enum State {
        case awaited
        case here
        case interrupted
        case lost
        case left
    }

    init(_ settings: RTPSessionSettings) {
        interruptedAfter = settings.interruptedAfter
        lostAfter = settings.lostAfter
    }

    /// A packet came.
    ///
    /// - Returns: what that means for the call.
    @inline(__always)
    mutating func noteArrival(at now: MediaTime) -> SessionEvent? {
        guard state != .here else {
            lastArrival = now
            return nil
        }
        return noteReturn(at: now)
    }

    private mutating func noteReturn(at now: MediaTime) -> SessionEvent? {
        let silence = now - lastArrival
        guard state != .left || silence > ReceivingStream.straggling else { return nil }
        defer { (state, lastArrival) = (.here, now) }
        return switch state {
        case .awaited: .connected(at: now)
        case .interrupted, .lost: .reconnected(after: silence)
        case .left: .restarted(at: now)
        case .here: nil
        }
    }

    /// The other side has said that it leaves; `false` when it had done so before.
    mutating func noteLeaving(at now: MediaTime) -> Bool {
        guard state != .left else { return false }
        (state, lastArrival) = (.left, now)
        return true
    }

    /// When silence will have lasted so long that it means something.
    var wakeTime: MediaTime {
        switch state {
        case .here: lastArrival + interruptedAfter
        case .interrupted: lastArrival + lostAfter
        case .awaited, .lost, .left: .distantFuture
        }
    }

    /// What has come of silence; to be asked until it is `nil`.
    mutating func nextEvent(at now: MediaTime) -> SessionEvent? {
        guard wakeTime <= now else { return nil }
        let event = wakeTime
        if state == .here {
            state = .interrupted
            return .interrupted(at: event)
        }
        state = .lost
        return .lost(at: event)
    }
}
