import RillCore
import RillPeer
import RillRTP
import RillSession
import RillThreads
import RillTransport

/// The datagrams of WebRTC peers on one UDP port, as a call reads and writes them.
///
/// STUN and DTLS are dealt with here, by the thread that reads. The call sees the packets of SRTP from addresses that
/// ICE has validated, and their addresses.
final class WebRTCTransport: DatagramTransport {
    private let socket: UDPSocket
    private let sockets: SocketSet
    private let state = Monitor(State())
    let clock: LiveClock

    private struct State: ~Copyable {
        let port = ICEPort(peerLimit: 4096)
        var links: [ICEPeerID: Entry] = [:]
        var schedule = PeerSchedule()
        var bytes: [UInt8] = []
        /// Events that were not reported yet.
        var events: [PendingEvent] = []
        /// Whether a thread reports them, without the lock. It takes those of others too, so that their order is kept.
        var isReporting = false
        var isClosed = false
    }

    private struct Entry {
        let link: PeerLink
        let handle: @Sendable (PeerLinkEvent, PeerView) -> Void
    }

    private struct PendingEvent {
        let entry: Entry
        let event: PeerLinkEvent
        let view: PeerView
    }

    /// What whoever handles an event may want to know of the peer.
    struct PeerView: Sendable {
        var path: ICEPath?
        var keys: DTLSSRTPKeys?
    }

    init(boundTo address: UDPAddress, clock: LiveClock) throws(TransportError) {
        socket = try UDPSocket(boundTo: address)
        sockets = try SocketSet()
        try sockets.add(socket, key: 0)
        self.clock = clock
    }

    var localAddress: UDPAddress { socket.localAddress }
    var statistics: TransportStatistics { socket.statistics }

    // MARK: Peers

    /// Adds a peer.
    ///
    /// - Parameters:
    ///   - make: makes its link.
    ///   - handle: is called with its events, on the thread that reads, or that changes a peer, without a lock.
    /// - Throws: ``CallError/isOver``, or what the port refuses.
    func add(
        _ make: () -> sending PeerLink, _ handle: @escaping @Sendable (PeerLinkEvent, PeerView) -> Void
    ) throws -> ICEPeerID {
        try state.withLock { (state) throws in
            guard !state.isClosed else { throw CallError.isOver }
            let link = make()
            let id = try state.port.add(link.agent)
            state.links[id] = Entry(link: link, handle: handle)
            return id
        }
    }

    /// Removes a peer.
    func remove(_ id: ICEPeerID) {
        state.withLock { state in
            state.port.remove(id)
            state.links[id] = nil
            state.schedule.remove(id)
        }
    }

    /// What is known of a peer now.
    func view(of id: ICEPeerID) -> PeerView? {
        state.withLock { state in
            state.links[id].map { PeerView(path: $0.link.agent.selectedPath, keys: $0.link.keys) }
        }
    }

    /// The statistics of a peer with that session.
    func statistics(of id: ICEPeerID, _ session: SessionStatistics?) -> PeerStatistics? {
        let now = clock.now
        var counts = PeerTransportCounts()
        if let transport = session?.transport {
            (counts.packetsSent, counts.packetsReceived) = (transport.packetsSent, transport.packetsReceived)
            (counts.bytesSent, counts.bytesReceived) = (transport.bytesSent, transport.bytesReceived)
        }
        return state.withLock { state in
            state.links[id].map { PeerStatistics($0.link, counts, session, at: now) }
        }
    }

    /// Changes a peer, does what follows, and has the reading thread wait for what comes then.
    func change<Value, Failure: Error>(
        _ id: ICEPeerID, _ body: (PeerLink, MediaTime) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let now = clock.now
        let value = try state.withLock { (state) throws(Failure) -> Value? in
            guard let link = state.links[id]?.link else { return nil }
            state.schedule.note(id)
            return try state.port.change(id) { _ throws(Failure) in try body(link, now) }
        }
        advance()
        sockets.wake()
        return value
    }

    // MARK: The call's side

    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome { socket.send(&datagrams) }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        let end = clock.now + timeout
        while true {
            let wakeTime = min(advance(), end)
            if state.withLock({ $0.isClosed }) { return .closed }
            try sockets.wait(untilMonotonic: clock.monotonic(wakeTime)) { _ in }
            switch try socket.receive(into: &datagrams, within: .zero) {
            case .received:
                take(&datagrams)
                if datagrams.count > 0 { return .received(datagrams.count) }
            case .nothing: if clock.now >= end { return .nothing }
            case .closed: return .closed
            }
        }
    }

    func close() {
        let now = clock.now
        state.withLock { state in
            for (id, entry) in state.links {
                entry.link.close(at: now)
                state.schedule.note(id)
            }
        }
        // Sends their last words, and reports their end.
        advance()
        state.withLock { state in
            state.links = [:]
            state.isClosed = true
        }
        socket.close()
        sockets.wake()
    }

    // MARK: STUN and DTLS

    /// Takes what is not media out of a batch, and what comes from strangers.
    private func take(_ datagrams: inout IncomingDatagrams) {
        let now = clock.now
        state.withLock { state in
            datagrams.removeAll { datagram, source in
                take(datagram, on: ICEPath(source), &state, at: now)
            }
        }
    }

    /// Takes a datagram that is not media. Returns whether it is none of the call's.
    private func take(_ datagram: Span<UInt8>, on path: ICEPath, _ state: inout State, at now: MediaTime) -> Bool {
        switch state.port.insert(datagram, on: path, at: now) {
        case .dropped: return true
        case .peer(let id, .early):
            _ = state.links[id]?.link.hold(datagram, on: path)
            return true
        case .peer(let id, .data): return take(data: datagram, of: [id], &state, at: now)
        // The call finds the participant by the address.
        case .shared(let ids): return take(data: datagram, of: ids, &state, at: now)
        case .peer(let id, _):
            state.schedule.note(id)
            return true
        }
    }

    private func take(data: Span<UInt8>, of ids: [ICEPeerID], _ state: inout State, at now: MediaTime) -> Bool {
        switch DatagramKind(of: data) {
        case .rtp, .rtcp: return false
        case .dtls:
            // A handshake is that of the first peer which is not connected yet.
            let open = ids.first { state.links[$0]?.link.keys == nil }
            guard let id = open ?? ids.first else { return true }
            state.schedule.note(id)
            _ = state.links[id]?.link.insert(dtls: data, at: now)
            return true
        case .stun, .zrtp, .turnChannel, .unknown: return true
        }
    }

    /// Sends what is due, reports events, and returns when to be called again.
    @discardableResult
    private func advance() -> MediaTime {
        let now = clock.now
        let wakeTime = state.withLock { state in poll(&state, at: now) }
        reportEvents()
        return wakeTime
    }

    /// Reports events, unless another thread does so. A handler may call any method, and changes the peer as it likes:
    /// what follows is reported after it has returned.
    private func reportEvents() {
        var isFirst = true
        while true {
            let events = state.withLock { state -> [PendingEvent] in
                if isFirst, state.isReporting { return [] }
                state.isReporting = !state.events.isEmpty
                defer { state.events = [] }
                return state.events
            }
            guard !events.isEmpty else { return }
            isFirst = false
            for pending in events { pending.entry.handle(pending.event, pending.view) }
        }
    }

    private func poll(_ state: inout State, at now: MediaTime) -> MediaTime {
        var wakeTime = MediaTime.distantFuture
        var bound = PeerPollBound()
        agents: while true {
            switch state.port.poll(at: now, into: &state.bytes) {
            case .transmit(on: let path): send(state.bytes, to: path)
            case .event(let id, let event):
                state.schedule.note(id)
                guard bound.take(id) else {
                    state.links[id]?.link.stop(after: bound.count)
                    state.port.remove(id)
                    continue
                }
                state.links[id]?.link.take(event, at: now)
            case .wait(until: let time):
                wakeTime = time
                break agents
            }
        }
        state.schedule.wake(at: now)
        while let id = state.schedule.next {
            guard let entry = state.links[id] else {
                state.schedule.remove(id)
                continue
            }
            switch entry.link.poll(at: now, into: &state.bytes) {
            case .transmit(on: let path): send(state.bytes, to: path)
            case .event(let event):
                let view = PeerView(path: entry.link.agent.selectedPath, keys: entry.link.keys)
                state.events.append(PendingEvent(entry: entry, event: event, view: view))
            case .wait(until: let time): state.schedule.rest(id, until: time)
            }
        }
        return PollBound.wait(until: min(wakeTime, state.schedule.wakeTime), after: now)
    }

    /// A datagram that the system does not take is as if it were lost, and repeated like that.
    private func send(_ bytes: [UInt8], to path: ICEPath) { _ = try? socket.sendAtOnce(bytes.span, to: path.remote) }
}
