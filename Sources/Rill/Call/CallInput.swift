import RillCore
import RillRTP
import RillSecurity

/// What comes from a participant: opened with their key, or taken as it is where there is none.
///
/// Threads: the line's opens; any changes keys and looks.
final class CallInput: Sendable {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        var unprotector: SRTPUnprotector?
        /// For a datagram that somebody else's key may have to try next.
        var copy: [UInt8] = []
        /// When something genuine came from the address that they are known to be at.
        var lastArrival: MediaTime?
        var watch = UnreadableWatch()
        /// Attempts to open what comes from other addresses.
        var credit = AttemptCredit()
        var place: Place
    }

    /// How it is known where they are, in the clear.
    private enum Place {
        /// Somebody said so.
        case given
        /// Their first RTP packet will say so, or has. RTCP comes from another port of theirs where they use two, and may come first.
        case awaited, heard
    }

    /// Genuine packets from elsewhere move a participant when the address before has been silent for so long.
    private static let silence = MediaDuration.milliseconds(500)

    /// - Parameter isAddressKnown: where they are was said, and is not to be learned from their packets.
    init(_ key: SRTPKey?, isAddressKnown: Bool) throws(SecurityError) {
        let unprotector: SRTPUnprotector? = if let key { try SRTPUnprotector(key) } else { nil }
        state = Monitor(State(unprotector: unprotector, place: isAddressKnown ? .given : .awaited))
    }

    /// Opens a datagram from the address that they are at; how long it is then.
    func open(_ datagram: inout MutableSpan<UInt8>, at now: MediaTime) -> Int? {
        state.withLock { state in
            guard let outcome = state.unprotector?.unprotect(&datagram) else {
                state.lastArrival = now
                return datagram.count
            }
            state.watch.note(outcome)
            guard case .unprotected(_, let byteCount) = outcome else { return nil }
            state.lastArrival = now
            return byteCount
        }
    }

    /// A packet from an address that is nobody's.
    struct Stranger {
        /// Who has sent it, as it says.
        var ssrc: SSRC?
        /// RTP, and not RTCP.
        var isMedia: Bool
        /// Whether the participant is known to be at some address.
        var isPlaced: Bool
        /// Whether that is an address of the same machine.
        var isOfSameHost: Bool
    }

    /// Whether such a packet may be theirs: without keys only where their address is not known yet, or is learned from their packets; with
    /// keys when nothing comes from there (a router may have given them another one), or they were heard with that source.
    func mayCome(_ packet: Stranger, at now: MediaTime) -> Bool {
        state.withLock { state in
            guard let isKnown = packet.ssrc.map({ state.unprotector?.isKnown($0) ?? false }) else { return false }
            if state.unprotector != nil { return isKnown || CallInput.isSilent(state.lastArrival, at: now) }
            return switch state.place {
            case .given: !packet.isPlaced
            case .awaited: !packet.isPlaced || packet.isOfSameHost
            case .heard: packet.isOfSameHost && !packet.isMedia
            }
        }
    }

    /// Opens a datagram from another address, if it is theirs; else its bytes stay as they are.
    func tryToOpen(_ datagram: inout MutableSpan<UInt8>, at now: MediaTime) -> Int? {
        state.withLock { state in
            guard state.unprotector != nil else { return datagram.count }
            guard state.credit.take(at: now) else { return nil }
            state.copy.removeAll(keepingCapacity: true)
            state.copy.append(copying: datagram.span)
            guard let outcome = state.unprotector?.unprotect(&datagram) else { return nil }
            state.watch.note(outcome)
            if case .unprotected(_, let byteCount) = outcome { return byteCount }
            for index in state.copy.indices { datagram[index] = state.copy[index] }
            return nil
        }
    }

    /// Whether they are at another address from now on, from which that packet has come, and was genuine: nothing has come from the one
    /// before for a while.
    func moves(with packet: Stranger, at now: MediaTime) -> Bool {
        state.withLock { state in
            if state.unprotector == nil, state.place != .given {
                guard packet.isMedia || !packet.isPlaced else { return false }
                if packet.isMedia { state.place = .heard }
            } else if !CallInput.isSilent(state.lastArrival, at: now) {
                return false
            }
            state.lastArrival = now
            return true
        }
    }

    private static func isSilent(_ lastArrival: MediaTime?, at now: MediaTime) -> Bool {
        lastArrival.map { now - $0 >= CallInput.silence } ?? true
    }

    /// Our own sources, from which nothing is taken: with one key for both directions our packets, sent back to us, are genuine.
    func refuse(_ sources: [SSRC]) {
        state.withLock { state in
            for source in sources { state.unprotector?.refuse(source) }
        }
    }

    /// Opens packets under one more key. That there is one is a precondition.
    func add(_ key: SRTPKey) throws(SecurityError) {
        try state.withLock { (state) throws(SecurityError) in try state.unprotector?.add(key) }
    }

    func remove(_ identifier: MasterKeyIdentifier) -> Bool {
        state.withLock { $0.unprotector?.remove(identifier) ?? false }
    }

    func expect(_ source: SSRC, rolloverCounter: UInt32) {
        state.withLock { $0.unprotector?.expect(source, rolloverCounter: rolloverCounter) }
    }

    var isProtected: Bool { state.withLock { $0.unprotector != nil } }
    var statistics: UnprotectStatistics? { state.withLock { $0.unprotector?.statistics } }

    /// Packets that cannot be opened, told once, when there are enough of them to say that the keys differ.
    func takeUnreadable() -> (outcome: UnprotectOutcome, count: Int)? { state.withLock { $0.watch.take() } }
}

/// Notices that nothing can be opened.
struct UnreadableWatch {
    private var count = 0
    private var outcome: UnprotectOutcome?
    private var isSettled = false

    /// Fewer may be anything.
    private static let limit = 20

    mutating func note(_ outcome: UnprotectOutcome) {
        guard !isSettled else { return }
        switch outcome {
        case .unprotected: isSettled = true
        case .authenticationFailed, .unknownKey, .notEncrypted, .malformed, .ownSource:
            count += 1
            self.outcome = outcome
        case .replayed, .tooOld, .tooManySources, .keyExpired, .notRTP, .failed: break
        }
    }

    mutating func take() -> (outcome: UnprotectOutcome, count: Int)? {
        guard !isSettled, count >= UnreadableWatch.limit, let outcome else { return nil }
        isSettled = true
        return (outcome, count)
    }
}

/// How often packets from unknown addresses are tried: a flood of them must not keep the line from those that are known.
struct AttemptCredit {
    private var credit = AttemptCredit.limit
    private var last: MediaTime?

    private static let limit = 64
    /// One attempt comes back in so long: 500 a second cost half a millisecond of each.
    private static let interval = MediaDuration.milliseconds(2)

    mutating func take(at now: MediaTime) -> Bool {
        let passed = last.map { (now - $0).nanoseconds / AttemptCredit.interval.nanoseconds } ?? 0
        if passed > 0 || last == nil {
            credit = Int(min(Int64(AttemptCredit.limit), Int64(credit) + passed))
            last = now
        }
        guard credit > 0 else { return false }
        credit -= 1
        return true
    }
}
