import RillCore
import RillRTP

/// What a connection is without its media: offer and answer, ICE and DTLS, and the state that follows from them.
///
/// ``PeerConnection`` puts a session on it. It never touches a packet of media.
final class PeerLink {
    let settings: PeerConnectionSettings
    let agent: ICEAgent
    let certificate: DTLSCertificate
    var negotiator: Negotiator
    // No code of a caller's runs during an access to one of those that are not checked: see RTPSession.
    @safe @exclusivity(unchecked) var dtls: DTLSEndpoint?
    /// The association before a new one, until that is connected: its keys are used, unless the peer closes it.
    @safe @exclusivity(unchecked) var formerDTLS: DTLSEndpoint?
    /// Whether the first datagrams of the peer made the association, before its answer.
    private var isEarlyDTLS = false
    /// Whether the handshake is for a path that a restart of ICE has yet to find.
    private var awaitsNomination = false
    /// What a rollback returns to; `nil` unless an exchange under way restarted ICE.
    var stableTransport: StableTransport?
    @safe @exclusivity(unchecked) var state = PeerConnectionState.new

    /// What is negotiated now.
    var sections: [NegotiatedSection] = []
    /// How often data began to go to another path.
    var pathChangeCount = 0
    private var credentials: any RandomNumberGenerator & Sendable
    var fingerprints: [DTLSFingerprint] = []
    @safe @exclusivity(unchecked) var events: [PeerEvent] = []
    /// When the other side's description was first there, or ICE was restarted.
    var startTime: MediaTime?
    var failure: PeerError?
    @safe @exclusivity(unchecked) private var wakeBound = WakeBound()
    /// Polls that did nothing about what was due. After them DTLS is left alone.
    @safe @exclusivity(unchecked) private(set) var pollsWithoutProgress = 0
    /// For tests: DTLS stays due.
    @safe @exclusivity(unchecked) var isStalled = false

    /// The last datagram of DTLS that left before there was a path, and where it went; it is transmitted again on the
    /// path, if that is another one.
    @safe @exclusivity(unchecked) private var first: (datagram: [UInt8], path: ICEPath?)?
    /// Datagrams of DTLS that came before their address had answered a check.
    private var held: [(datagram: [UInt8], path: ICEPath)] = []

    init(
        _ role: ICERole, certificate: DTLSCertificate, settings: PeerConnectionSettings,
        using generator: any RandomNumberGenerator & Sendable
    ) {
        var (random, credentials) = (SeededGenerator(seed: settings.seed), generator)
        var ice = settings.ice
        ice.seed = random.next()
        agent = ICEAgent(role, credentials: PeerLink.draw(&credentials), settings: ice)
        negotiator = Negotiator(settings.negotiation, seed: random.next())
        (self.certificate, self.settings, self.credentials) = (certificate, settings, credentials)
    }

    /// New credentials of ICE, as a restart needs them.
    func drawCredentials() -> ICECredentials { PeerLink.draw(&credentials) }

    private static func draw(_ generator: inout any RandomNumberGenerator & Sendable) -> ICECredentials {
        func open(_ generator: inout some RandomNumberGenerator) -> ICECredentials { ICECredentials(using: &generator) }
        return open(&generator)
    }

    /// The keys of SRTP, once the handshake is done with the right peer.
    var keys: DTLSSRTPKeys? { dtls?.srtpKeys ?? formerDTLS?.srtpKeys }

    // MARK: Datagrams and time

    /// Takes a datagram of DTLS, from an address that ICE has validated.
    func insert(dtls datagram: Span<UInt8>, at now: MediaTime) -> PeerInsertResult {
        guard state != .closed else { return .dropped(.closed) }
        if dtls == nil {
            // The answer to an offer may come behind the first datagrams (RFC 8842 §5.3): they are those of a client.
            guard negotiator.signalingState == .haveLocalOffer else { return .dropped(.noRole) }
            dtls = DTLSEndpoint(.server, certificate: certificate, settings: settings.dtls)
            isEarlyDTLS = true
        }
        guard let formerDTLS else { return .dtls(dtls?.insert(datagram, at: now) ?? .ended) }
        // The first records of an association are not encrypted, and in epoch 0 (RFC 6347 §4.1). The others may be of
        // both.
        let isFirst = datagram.count > 4 && datagram[3] == 0 && datagram[4] == 0
        let former = isFirst ? .ended : formerDTLS.insert(datagram, at: now)
        guard let dtls, dtls.state != .new || isFirst && dtls.role == .server else { return .dtls(former) }
        return .dtls(dtls.insert(datagram, at: now))
    }

    /// The most datagrams that are held: those of one flight.
    static let maximumHeldCount = 4

    /// Keeps a datagram of DTLS from an address that has sent a check, and not answered ours yet, until it does: so the
    /// first flight of a peer that has its answer sooner needs no retransmission.
    ///
    /// - Returns: whether it is kept: only before there is a path, and with room.
    func hold(_ datagram: Span<UInt8>, on path: ICEPath) -> Bool {
        guard agent.selectedPath == nil, keys == nil, state != .closed, DatagramKind(of: datagram) == .dtls,
            datagram.count <= 1500, held.count < PeerLink.maximumHeldCount
        else { return false }
        held.append((datagram.array, path))
        return true
    }

    /// There is a path: what came from there before is taken, and what went elsewhere is transmitted again.
    private func begin(on path: ICEPath, at now: MediaTime) {
        beginHandshake(at: now)
        if first?.path == path { first = nil }
        let waiting = held
        held = []
        for one in waiting where one.path == path { _ = insert(dtls: one.datagram.span, at: now) }
    }

    /// When there is something to do, if it is connected and nothing has happened since the last poll; `nil` if it may
    /// have something to do now.
    private func restTime(at now: MediaTime) -> MediaTime? {
        guard state == .connected, events.isEmpty, formerDTLS == nil, first == nil, !isStalled,
            pollsWithoutProgress == 0, let time = dtls?.restTime, time > now
        else { return nil }
        return time
    }

    /// What is to be done, but for ICE.
    func poll(at now: MediaTime, into bytes: inout [UInt8]) -> PeerLinkAction {
        if let time = restTime(at: now) { return .wait(until: time) }
        expire(at: now)
        beginHandshake(at: now)
        var bound = PollBound()
        while bound.take() {
            if !events.isEmpty {
                wakeBound.reset()
                return .event(events.removeFirst())
            }
            guard pollsWithoutProgress == 0 else { return .wait(until: .distantFuture) }
            if let path = agent.selectedPath, let again = first {
                first = nil
                wakeBound.reset()
                bytes.removeAll(keepingCapacity: true)
                bytes.append(contentsOf: again.datagram)
                agent.noteSent(byteCount: bytes.count, on: path, at: now)
                return .transmit(on: path)
            }
            if let former = formerDTLS, case .event(let event) = former.poll(at: now, into: &bytes) {
                wakeBound.reset()
                takeFormer(event)
                continue
            }
            switch isStalled ? .wait(until: now) : dtls?.poll(at: now, into: &bytes) ?? .wait(until: .distantFuture) {
            case .transmit:
                wakeBound.reset()
                guard let path = agent.selectedPath ?? firstPath(for: bytes) else { continue }
                agent.noteSent(byteCount: bytes.count, on: path, at: now)
                return .transmit(on: path)
            case .event(let event): take(event)
            case .wait(until: let time):
                let next = min(time, deadline ?? .distantFuture)
                if let later = wakeBound.wait(until: next, after: now) { return .wait(until: later) }
                stop(after: wakeBound.count)
            }
        }
        stop(after: bound.count)
        return events.isEmpty ? .wait(until: .distantFuture) : .event(events.removeFirst())
    }

    /// Fails because of an error of ours: polls do nothing about what is due.
    func stop(after pollCount: Int) {
        guard pollsWithoutProgress == 0 else { return }
        pollsWithoutProgress = pollCount
        fail(.internalError(pollsWithoutProgress: pollCount))
        updateState()
    }

    /// Where a datagram may go before there is a path: the address of the last check, if it is small enough. Otherwise
    /// it is as if it were lost.
    private func firstPath(for datagram: [UInt8]) -> ICEPath? {
        let heard = agent.heardPath
        let path = heard.flatMap { agent.spend(datagram.count, on: $0) ? $0 : nil }
        first = (datagram, path)
        return path
    }

    /// Takes note of an event of the agent.
    func take(_ event: ICEEvent, at now: MediaTime) {
        events.append(.ice(event))
        switch event {
        case .selectedPathChanged(from: let former, to: let path):
            begin(on: path, at: now)
            if former != nil { pathChangeCount += 1 }
        case .consentLost(on: _, let time): fail(.consentLost(after: time))
        case .checksFailed(let count, let time): fail(.noPath(pairCount: count, after: time))
        case .internalError(let count): fail(.internalError(pollsWithoutProgress: count))
        case .stateChanged: beginHandshake(at: now)
        case .peerReflexiveDiscovered, .roleChanged: break
        }
        updateState()
    }

    private func take(_ event: DTLSEvent) {
        switch event {
        case .connected:
            formerDTLS = nil
            events.append(.keysAgreed)
        case .warning(let alert): events.append(.warning(alert))
        case .failed(let error):
            if let former = formerDTLS {
                // A peer whose transport goes on needs no other association.
                (dtls, formerDTLS) = (former, nil)
            } else {
                fail(.dtls(error))
            }
        case .closed:
            // The end of a transport is not that of the connection, if offer and answer say so.
            if negotiator.endsTransport { dtls = nil } else { setState(.closed) }
        // For data channels, which are not negotiated yet.
        case .data: break
        }
        updateState()
    }

    /// Takes an event of the association before: the peer ends it when its transport ends.
    private func takeFormer(_ event: DTLSEvent) {
        switch event {
        case .closed, .failed: formerDTLS = nil
        case .connected, .warning, .data: break
        }
        updateState()
    }

    /// Closes DTLS, and so tells the peer.
    func close(at now: MediaTime) {
        guard state != .closed else { return }
        dtls?.close(at: now)
        setState(.closed)
    }

    // MARK: DTLS

    /// Sets who the peer is. Another association begins with another fingerprint (RFC 8842 §5.4), or on another
    /// transport; the keys are those of the former one until it is connected.
    func setRemote(
        _ fingerprints: [DTLSFingerprint], _ role: DTLSRole, _ outcome: NegotiationOutcome, at now: MediaTime
    ) {
        let restarts = outcome.restartsDTLS && !isEarlyDTLS
        self.fingerprints = fingerprints
        if let dtls, dtls.role == role, !restarts {
            dtls.setRemoteFingerprints(fingerprints, at: now)
        } else {
            if let dtls, dtls.state == .connected { formerDTLS = dtls }
            awaitsNomination = restarts && (outcome.restartsICE || outcome.movesTransport)
            let made = DTLSEndpoint(role, certificate: certificate, settings: settings.dtls)
            made.setRemoteFingerprints(fingerprints, at: now)
            dtls = made
        }
        isEarlyDTLS = false
        beginHandshake(at: now)
    }

    /// Begins the handshake once there is a path, or an address from which a check came: the first message of a client
    /// is small enough for one that has not answered. It would cost a round trip to wait for that.
    private func beginHandshake(at now: MediaTime) {
        guard let dtls, dtls.state == .new, agent.selectedPath != nil || dtls.role == .client && agent.heardPath != nil
        else { return }
        guard !awaitsNomination || agent.state == .completed else { return }
        awaitsNomination = false
        dtls.begin(at: now)
    }

    // MARK: State

    func fail(_ error: PeerError) {
        guard failure == nil, state != .closed, !isIdle else { return }
        failure = error
        events.append(.failed(error))
    }

    /// Whether all sections are out of use after some were in use: browsers have no transport then.
    private var isIdle: Bool { sections.isEmpty && negotiator.taggedMID != nil }

    /// When it is too late to connect.
    private var deadline: MediaTime? {
        guard !isIdle, state == .new || state == .connecting, failure == nil else { return nil }
        return startTime.map { $0 + settings.connectTimeout }
    }

    private func expire(at now: MediaTime) {
        guard let deadline, let startTime, deadline <= now else { return }
        fail(.timedOut(after: now - startTime, ice: agent.state, dtls: dtls?.state ?? .new))
        updateState()
    }

    /// Follows the states of ICE and DTLS, as W3C's `RTCPeerConnection.connectionState` does.
    func updateState() {
        guard state != .closed else { return }
        switch failure {
        case .dtls, .internalError, .session(.internalError): return setState(.failed)
        default: break
        }
        if failure != nil, agent.state == .failed || keys == nil { return setState(.failed) }
        failure = nil
        if isIdle, keys == nil { return setState(.new) }
        switch agent.state {
        case .failed: setState(.failed)
        case .disconnected: setState(.disconnected)
        case .new where dtls == nil && startTime == nil: setState(.new)
        case .connected, .completed: setState(keys == nil ? .connecting : .connected)
        case .new, .checking: setState(.connecting)
        }
    }

    private func setState(_ next: PeerConnectionState) {
        guard next != state else { return }
        events.append(.stateChanged(from: state, to: next))
        state = next
    }
}

/// What ``PeerLink/poll(at:into:)`` asks for.
enum PeerLinkAction: Equatable, Sendable {
    case transmit(on: ICEPath)
    case event(PeerEvent)
    case wait(until: MediaTime)
}
