import RillCore
import RillPeer
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
    let addresses: LocalAddresses
    /// The local address that media leaves from, by its destination; empty if this machine has one address.
    private let sources = Monitor([UDPAddress: IPAddress]())
    private let state = Monitor(State())
    let clock: LiveClock

    private struct State: ~Copyable {
        let port = PeerPort(peerLimit: 4096, passesMedia: true)
        var handlers: [ICEPeerID: Handler] = [:]
        var bytes: [UInt8] = []
        /// Of STUN and DTLS.
        var outgoing = OutgoingDatagrams(capacity: 16)
        /// Events that were not reported yet.
        var events: [PendingEvent] = []
        /// Whether a thread reports them, without the lock. It takes those of others too: they keep their order.
        var isReporting = false
        var isClosed = false
    }

    typealias Handler = @Sendable (PeerEvent, PeerView) -> Void

    private struct PendingEvent {
        let handle: Handler
        let event: PeerEvent
        let view: PeerView
    }

    /// What whoever handles an event may want to know of the peer.
    struct PeerView: Sendable {
        var path: ICEPath?
        var keys: DTLSSRTPKeys?

        init(_ peer: PeerConnection) { (path, keys) = (peer.agent.selectedPath, peer.keys) }
    }

    init(boundTo address: UDPAddress, announcing announced: [IPAddress]?, clock: LiveClock) throws(TransportError) {
        (socket, addresses) = try LocalAddresses.listen(at: address, announcing: announced)
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
    ///   - make: makes its connection, whose settings say that it passes media.
    ///   - handle: is called with its events, on the thread that reads, or that changes a peer, without a lock.
    /// - Throws: ``CallError/isOver``, or what the port refuses.
    func add(_ make: () -> sending PeerConnection, _ handle: @escaping Handler) throws -> ICEPeerID {
        try state.withLock { (state) throws in
            guard !state.isClosed else { throw CallError.isOver }
            let id = try state.port.add(make())
            state.handlers[id] = handle
            return id
        }
    }

    /// Removes a peer.
    func remove(_ id: ICEPeerID) {
        state.withLock { state in
            state.port.remove(id)
            state.handlers[id] = nil
        }
    }

    /// What is known of a peer now.
    func view(of id: ICEPeerID) -> PeerView? { state.withLock { state in state.port[id].map { PeerView($0) } } }

    /// The statistics of a peer with that session.
    func statistics(of id: ICEPeerID, _ session: SessionStatistics?) -> PeerStatistics? {
        let now = clock.now
        return state.withLock { state in state.port[id]?.statistics(of: session, at: now) }
    }

    /// Changes a peer, does what follows, and has the reading thread wait for what comes then.
    func change<Value, Failure: Error>(
        _ id: ICEPeerID, _ body: (PeerConnection, MediaTime) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let now = clock.now
        let value = try state.withLock { (state) throws(Failure) -> Value? in
            try state.port.change(id) { (peer) throws(Failure) in try body(peer, now) }
        }
        advance()
        sockets.wake()
        return value
    }

    // MARK: The call's side

    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        if addresses.areSeveral { sources.withLock { sources in datagrams.setSources { sources[$0] } } }
        return socket.send(&datagrams)
    }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        let end = clock.now + timeout
        while true {
            let wakeTime = min(advance(), end)
            if state.withLock({ $0.isClosed }) { return .closed }
            try sockets.wait(untilMonotonic: clock.monotonic(wakeTime)) { _ in }
            switch try socket.receive(into: &datagrams, within: .zero) {
            case .received(let count):
                take(&datagrams)
                guard datagrams.count > 0 else { continue }
                // Media may come right behind the end of a handshake, whose keys the call needs first.
                if datagrams.count < count { advance() }
                return .received(datagrams.count)
            case .nothing: if clock.now >= end { return .nothing }
            case .closed: return .closed
            }
        }
    }

    func close() {
        let now = clock.now
        state.withLock { state in
            for id in state.port.peers { state.port.change(id) { $0.close(at: now) } }
        }
        // Sends their last words, and reports their end.
        advance()
        state.withLock { state in
            state.handlers = [:]
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
            datagrams.removeAll { datagram, source, local in
                // The call finds the participant by the address.
                let path = ICEPath(socket: addresses.number(of: local), source)
                let result = state.port.insert(&datagram, on: path, at: now)
                return if case .peer(_, .passed) = result { false } else { true }
            }
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
            for pending in events { pending.handle(pending.event, pending.view) }
        }
    }

    private func poll(_ state: inout State, at now: MediaTime) -> MediaTime {
        defer { flush(&state.outgoing) }
        while true {
            switch state.port.poll(at: now, into: &state.bytes) {
            case .transmit(on: let path): add(state.bytes, on: path, to: &state.outgoing)
            case .event(let id, let event):
                guard let handle = state.handlers[id], let peer = state.port[id] else { continue }
                if addresses.areSeveral, let path = peer.agent.selectedPath { noteSource(of: path) }
                state.events.append(PendingEvent(handle: handle, event: event, view: PeerView(peer)))
            // Of sessions, which are the call's.
            case .decode, .payload, .makeKeyFrame: continue
            case .wait(until: let time): return PollBound.wait(until: time, after: now)
            }
        }
    }

    private func add(_ datagram: [UInt8], on path: ICEPath, to outgoing: inout OutgoingDatagrams) {
        if outgoing.isFull { flush(&outgoing) }
        outgoing.append(to: path.remote, from: addresses.source(path.socket)) { $0.append(copying: datagram.span) }
    }

    /// Sends datagrams. One that the system does not take is as if it were lost, and repeated like that.
    private func flush(_ outgoing: inout OutgoingDatagrams) {
        _ = socket.send(&outgoing)
        outgoing.removeAll()
    }

    /// Notes where media to a peer leaves from: the address that its checks come to.
    private func noteSource(of path: ICEPath) {
        sources.withLock { sources in
            // Peers that are gone leave their address: so many are no burden, and a live one is noted again.
            if sources.count >= WebRTCTransport.sourceLimit { sources.removeAll() }
            sources[path.remote] = addresses.source(path.socket)
        }
    }

    private static let sourceLimit = 8192
}
