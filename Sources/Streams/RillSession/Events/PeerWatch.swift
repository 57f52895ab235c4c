import RillCore

/// Watches whether the remote side is present, by the packets that arrive from it.
struct PeerWatch {
    private(set) var state = State.awaited
    /// When the last packet arrived.
    private(set) var lastArrival = MediaTime.zero
    private let timeouts: SilenceTimeouts

    enum State {
        case awaited
        case here
        case interrupted
        case lost
        case left
    }

    init(_ settings: RTPSessionSettings) {
        timeouts = settings.timeouts
    }

    /// Notes that a packet arrived.
    ///
    /// - Returns: the event that follows from it, if any.
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

    /// Notes that the remote side announced its leaving; `false` if it already had.
    mutating func noteLeaving(at now: MediaTime) -> Bool {
        guard state != .left else { return false }
        (state, lastArrival) = (.left, now)
        return true
    }

    /// When the silence will be long enough to matter.
    var wakeTime: MediaTime {
        switch state {
        case .here: lastArrival + timeouts.interrupted
        case .interrupted: lastArrival + timeouts.lost
        case .awaited, .lost, .left: .distantFuture
        }
    }

    /// Returns the next event caused by silence; call it until it is `nil`.
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
