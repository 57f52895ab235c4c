import RillCore
import RillPeer
import RillRTP
import RillSecurity

/// The input of a participant: whose packets are taken, and opened with the participant's key, or as they are if there
/// is none.
///
/// Threads: the line's thread opens packets; any thread may ask.
final class CallInput: Sendable {
    private let state: Monitor<State>
    private let session: SharedSession
    let isProtected: Bool

    private struct State {
        /// Keeps the bytes of a datagram that another participant's key may have to try next.
        var copy: [UInt8] = []
        /// When an authentic packet last arrived from the participant's known address.
        var lastArrival: MediaTime?
        var watch = UnreadableWatch()
        /// Limits attempts to open packets from unknown addresses, so that a flood of them does not starve known
        /// senders: 500 a second take half a millisecond of each second.
        var attempts = TokenBucket(perSecond: 500, limit: 64)
        var place: Place
        /// The SSRC of the newest RTP from the address that was heard, in the clear.
        var source: SSRC?
    }

    /// How the participant's address is known.
    private enum Place {
        /// The settings name it.
        case given
        /// ICE tells it.
        case signaled
        /// The participant's first RTP packet will reveal it, or has. RTCP arrives from another port if they use two,
        /// and may arrive first.
        case awaited, heard
    }

    /// An authentic packet from elsewhere moves a participant if the previous address has been silent for this long.
    private static let silence = MediaDuration.milliseconds(500)
    /// The same for another port of the same host, without keys: a program that was started again has another one.
    private static let silenceOfPort = MediaDuration.milliseconds(200)

    init(_ participant: ParticipantSettings, of session: SharedSession) {
        let place: Place = participant.awaitsKeys ? .signaled : participant.address == nil ? .awaited : .given
        state = Monitor(State(place: place))
        (self.session, isProtected) = (session, participant.isProtected)
    }

    /// Opens a datagram from the participant's address, and returns its new length; `nil` if it cannot be opened.
    func open(_ datagram: inout MutableSpan<UInt8>, at now: MediaTime) -> Int? {
        let outcome = session.withMedia { $0.unprotect(&datagram) }
        if outcome == nil, isProtected { return nil }
        return state.withLock { state in
            var byteCount = datagram.count
            if let outcome {
                state.watch.note(outcome)
                guard case .unprotected(_, let count) = outcome else { return nil }
                byteCount = count
            }
            state.lastArrival = now
            if state.place == .heard, outcome == nil, PacketKind(of: datagram.span) == .rtp {
                state.source = SSRC(ofSenderOf: datagram.span)
            }
            return byteCount
        }
    }

    /// A packet from an address that belongs to no participant.
    struct UnknownPacket {
        /// The sender's SSRC as the packet states it.
        var ssrc: SSRC?
        /// RTP, not RTCP.
        var isMedia: Bool
        /// Whether the participant's address is known.
        var isPlaced: Bool
        /// Whether that address is on the same host.
        var isOfSameHost: Bool
        /// Whether it is RTCP from the port that the participant has for it.
        var isExpectedReport: Bool
        /// Of whose stream its first report tells.
        var reported: SSRC?
    }

    /// Whether such a packet may be the participant's. Without keys, only if their address is not known yet or is
    /// learned from packets, or if it comes from their host and reports on a stream of ours (GStreamer's pipelines send
    /// RTCP from any port). With keys, if their address is silent (a router may have given them a new one), or if this
    /// SSRC was heard from them before.
    func mayBelong(_ packet: UnknownPacket, at now: MediaTime) -> Bool {
        guard let ssrc = packet.ssrc else { return false }
        let isKnown = isProtected && session.withMedia { $0.isKnown(ssrc) }
        let reported = isProtected || !packet.isOfSameHost ? nil : packet.reported
        let isOfOurs = reported.map { ours in session.withMedia { $0.session.ownSources.contains(ours) } } ?? false
        return state.withLock { state in
            guard state.place != .signaled else { return false }
            if isProtected { return isKnown || CallInput.isSilent(state.lastArrival, at: now) }
            return switch state.place {
            case .given, .signaled: !packet.isPlaced || packet.isExpectedReport || isOfOurs
            case .awaited: !packet.isPlaced || packet.isOfSameHost
            case .heard: packet.isOfSameHost && (!packet.isMedia || takesPort(ssrc, state, at: now))
            }
        }
    }

    /// Whether RTP in the clear is taken from another port of the host that was heard: another SSRC at once, since the
    /// session decides whether the stream goes on with it; the same one only if the former port is silent.
    private func takesPort(_ ssrc: SSRC, _ state: State, at now: MediaTime) -> Bool {
        ssrc != state.source || CallInput.isSilent(state.lastArrival, for: CallInput.silenceOfPort, at: now)
    }

    /// Opens a datagram from another address if it is the participant's; otherwise its bytes stay unchanged.
    func tryToOpen(_ datagram: inout MutableSpan<UInt8>, at now: MediaTime) -> Int? {
        guard isProtected else { return datagram.count }
        return state.withLock { state in
            guard state.attempts.has(1, at: now) else { return nil }
            state.attempts.take(1)
            state.copy.removeAll(keepingCapacity: true)
            state.copy.append(copying: datagram.span)
            guard let outcome = session.withMedia({ $0.unprotect(&datagram) }) else { return nil }
            state.watch.note(outcome)
            if case .unprotected(_, let byteCount) = outcome { return byteCount }
            for index in state.copy.indices { datagram[index] = state.copy[index] }
            return nil
        }
    }

    /// Whether the participant moves to the address of this packet, which was authentic. It does if the previous
    /// address has been silent for a while. RTCP from a port of its own does not move it.
    func moves(with packet: UnknownPacket, at now: MediaTime) -> Bool {
        if packet.isPlaced, packet.isExpectedReport || packet.reported != nil && !isProtected { return false }
        return state.withLock { state in
            if !isProtected, state.place != .given {
                guard packet.isMedia || !packet.isPlaced else { return false }
                let silence = state.place == .heard ? CallInput.silenceOfPort : .zero
                guard CallInput.isSilent(state.lastArrival, for: silence, at: now) else { return false }
                if packet.isMedia { (state.place, state.source) = (.heard, packet.ssrc) }
            } else if !CallInput.isSilent(state.lastArrival, at: now) {
                return false
            }
            state.lastArrival = now
            return true
        }
    }

    /// Whether our RTCP goes to where this RTCP came from: not if their port is given, and this is another one.
    func answers(_ packet: UnknownPacket) -> Bool {
        packet.isExpectedReport || state.withLock { $0.place != .given }
    }

    private static func isSilent(
        _ lastArrival: MediaTime?, for time: MediaDuration = silence, at now: MediaTime
    ) -> Bool {
        lastArrival.map { now - $0 >= time } ?? true
    }

    /// Returns packets that cannot be opened, once, when there are enough to conclude that the keys differ.
    func takeUnreadable() -> (outcome: UnprotectOutcome, count: Int)? { state.withLock { $0.watch.take() } }
}

/// Detects that no packet can be opened.
struct UnreadableWatch {
    private var count = 0
    private var outcome: UnprotectOutcome?
    private var isDecided = false

    /// Fewer packets prove nothing.
    private static let limit = 20

    mutating func note(_ outcome: UnprotectOutcome) {
        guard !isDecided else { return }
        switch outcome {
        case .unprotected: isDecided = true
        case .authenticationFailed, .unknownKey, .notEncrypted, .malformed, .ownSource:
            count += 1
            self.outcome = outcome
        case .replayed, .tooOld, .tooManySources, .keyExpired, .notRTP, .failed: break
        }
    }

    mutating func take() -> (outcome: UnprotectOutcome, count: Int)? {
        guard !isDecided, count >= UnreadableWatch.limit, let outcome else { return nil }
        isDecided = true
        return (outcome, count)
    }
}
