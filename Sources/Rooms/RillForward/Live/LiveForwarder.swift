public import RillCore
public import RillPeer
public import RillRTP
import RillThreads
public import RillTransport

/// A ``StreamForwarder`` on a UDP port, with a thread of its own.
///
/// ```swift
/// let server = try LiveForwarder(boundTo: UDPAddress(.v4(0), port: 5004)) { event in log(event) }
/// let alice = try server.publish("lobby", offer: offer)     // alice.answer goes back to the publisher
/// ```
///
/// Threads: all methods may be called from any thread, and return at once. Datagrams are received, forwarded and sent
/// on the thread `rill-forward`, which also tells events. It ends with ``close()``.
public final class LiveForwarder: Sendable {
    private let socket: UDPSocket
    private let sockets: SocketSet
    private let addresses: LocalAddresses
    private let clock: LiveClock
    private let state: Monitor<State>
    private let handle: @Sendable (ForwardEvent) -> Void
    private let thread: Monitor<NamedThread?>

    private struct State: ~Copyable {
        let forwarder: StreamForwarder
        var bytes: [UInt8] = []
        /// Events that were not told yet.
        var events: [ForwardEvent] = []
        var isClosed = false
    }

    /// Opens a port, and starts the thread.
    ///
    /// - Parameters:
    ///   - address: where to listen; by default at all addresses, IPv6 and IPv4, and a port that the system chooses.
    ///   - addresses: the addresses at which peers reach this machine; `nil` for those that it has itself, at the time
    ///     of the call.
    ///   - settings: limits, codecs and times. Its wall clock is set here.
    ///   - certificate: the certificate of DTLS; `nil` for a new one.
    ///   - handle: is called with each event, on the thread `rill-forward`.
    /// - Throws: ``/RillTransport/TransportError``, ``/RillPeer/DTLSError`` or ``/RillThreads/ThreadError``.
    public init(
        boundTo address: UDPAddress = UDPAddress(.anyV6, port: 0), announcing addresses: [IPAddress]? = nil,
        _ settings: ForwardSettings = ForwardSettings(), certificate: sending DTLSCertificate? = nil,
        handle: @escaping @Sendable (ForwardEvent) -> Void = { _ in }
    ) throws {
        (clock, self.handle) = (LiveClock(), handle)
        (socket, self.addresses) = try LocalAddresses.listen(at: address, announcing: addresses)
        sockets = try SocketSet()
        try sockets.add(socket, key: 0)
        var settings = settings
        settings.wallClockAtZero = .unixEpoch.advanced(byNanoseconds: clock.wallClockAtZero)
        let seconds = (clock.wallClockAtZero + clock.now.nanoseconds) / 1_000_000_000
        let forwarder = StreamForwarder(
            settings, certificate: try certificate ?? DTLSCertificate(wallClock: Int(seconds)))
        for (ip, number) in self.addresses.candidates {
            forwarder.addLocalCandidate(UDPAddress(ip, port: socket.localAddress.port), socket: number)
        }
        state = Monitor(State(forwarder: forwarder))
        thread = Monitor(nil)
        try thread.withLock { (thread) throws(ThreadError) in
            thread = try NamedThread("rill-forward", timeSlice: .short) { [self] in run() }
        }
    }

    /// The address at which the port listens.
    public var localAddress: UDPAddress { socket.localAddress }
    /// What the socket has sent and received.
    public var transportStatistics: TransportStatistics { socket.statistics }

    // MARK: Sessions

    /// Publishes a stream: as ``StreamForwarder/publish(_:offer:from:_:at:)``.
    public func publish(
        _ name: String, offer: String, from client: ForwardClient = ForwardClient(),
        _ condition: PublishCondition = .always
    ) throws(ForwardError) -> (id: ICEPeerID, answer: SessionDescription) {
        try change { (forwarder, now) throws(ForwardError) in
            try forwarder.publish(name, offer: offer, from: client, condition, at: now)
        }
    }

    /// Adds a viewer to a stream: as ``StreamForwarder/watch(_:offer:from:at:)``.
    public func watch(
        _ name: String, offer: String, from client: ForwardClient = ForwardClient()
    ) throws(ForwardError) -> (id: ICEPeerID, answer: SessionDescription) {
        try change { (forwarder, now) throws(ForwardError) in
            try forwarder.watch(name, offer: offer, from: client, at: now)
        }
    }

    /// Adds a member: as ``StreamForwarder/join(_:offer:from:in:at:)``.
    public func join(
        _ name: String, offer: String, from client: ForwardClient = ForwardClient(), in room: String? = nil
    ) throws(ForwardError) -> (id: ICEPeerID, answer: SessionDescription) {
        try change { (forwarder, now) throws(ForwardError) in
            try forwarder.join(name, offer: offer, from: client, in: room, at: now)
        }
    }

    /// Tells what a member wants of a stream: as ``StreamForwarder/want(_:_:for:at:)``.
    public func want(_ name: String, _ wish: StreamWish?, for id: ICEPeerID) throws(ForwardError) {
        try change { (forwarder, now) throws(ForwardError) in try forwarder.want(name, wish, for: id, at: now) }
    }

    /// Forwards a stream, or does not: as ``StreamForwarder/setMuted(_:pictures:sound:at:)``.
    public func setMuted(_ name: String, pictures: Bool? = nil, sound: Bool? = nil) throws(ForwardError) {
        try change { (forwarder, now) throws(ForwardError) in
            try forwarder.setMuted(name, pictures: pictures, sound: sound, at: now)
        }
    }

    /// Answers another offer of a session: as ``StreamForwarder/renegotiate(_:offer:at:)``.
    public func renegotiate(_ id: ICEPeerID, offer: String) throws(ForwardError) -> SessionDescription {
        try change { (forwarder, now) throws(ForwardError) in try forwarder.renegotiate(id, offer: offer, at: now) }
    }

    /// Adds a candidate of a session's other side: as ``StreamForwarder/addCandidate(_:mid:of:at:)``.
    public func addCandidate(_ text: String, mid: String?, of id: ICEPeerID) throws(ForwardError) {
        try change { (forwarder, now) throws(ForwardError) in
            try forwarder.addCandidate(text, mid: mid, of: id, at: now)
        }
    }

    /// Finds another path for a session: as ``StreamForwarder/restart(_:usernameFragment:password:at:)``.
    public func restart(
        _ id: ICEPeerID, usernameFragment: String, password: String
    ) throws(ForwardError) -> SessionDescription {
        try change { (forwarder, now) throws(ForwardError) in
            try forwarder.restart(id, usernameFragment: usernameFragment, password: password, at: now)
        }
    }

    /// Chooses what a viewer gets: as ``StreamForwarder/select(_:for:at:)``.
    public func select(_ layer: String?, for id: ICEPeerID) throws(ForwardError) {
        try change { (forwarder, now) throws(ForwardError) in try forwarder.select(layer, for: id, at: now) }
    }

    /// Ends a session: its other side is told.
    public func end(_ id: ICEPeerID) throws(ForwardError) {
        try change { (forwarder, now) throws(ForwardError) in try forwarder.end(id, at: now) }
    }

    /// Reads the forwarder's state and statistics.
    ///
    /// - Parameter body: receives the forwarder and the time. It must not change it, and everything waits for it.
    public func read<Value>(_ body: (StreamForwarder, MediaTime) -> sending Value) -> Value {
        state.withLock { state in body(state.forwarder, clock.now) }
    }

    private func change<Value>(
        _ body: (StreamForwarder, MediaTime) throws(ForwardError) -> Value
    ) throws(ForwardError) -> Value {
        let value = try state.withLock { (state) throws(ForwardError) in try body(state.forwarder, clock.now) }
        sockets.wake()
        return value
    }

    /// Ends all sessions, whose other sides are told, and the thread. Returns when that is done.
    public func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.forwarder.close(at: clock.now)
            state.isClosed = true
        }
        sockets.wake()
        thread.withLock { $0 }?.join()
        socket.close()
    }

    // MARK: The thread

    private func run() {
        var incoming = IncomingDatagrams(capacity: 64)
        var outgoing = OutgoingDatagrams(capacity: 64)
        while true {
            let (wakeTime, isClosed) = advance(&outgoing)
            tell()
            if isClosed { return }
            do throws(TransportError) {
                try sockets.wait(untilMonotonic: clock.monotonic(wakeTime)) { _ in }
                guard case .received = try socket.receive(into: &incoming, within: .zero) else { continue }
            } catch {
                // A datagram of ours was refused somewhere: the next one may not be.
                continue
            }
            take(&incoming)
        }
    }

    private func take(_ incoming: inout IncomingDatagrams) {
        let now = clock.now
        state.withLock { state in
            for index in incoming.indices {
                let path = ICEPath(
                    socket: addresses.number(of: incoming.localAddress(at: index)), incoming.source(at: index))
                let arrival = clock.arrival(monotonic: incoming.arrivalTime(at: index), notAfter: now)
                incoming.withBytes(at: index) { bytes in
                    state.forwarder.insert(&bytes, on: path, at: now, arrival: arrival)
                }
            }
        }
    }

    /// The batches that leave before datagrams are read again: the system's buffer for those holds some milliseconds'
    /// worth.
    private static let batchLimit = 64

    /// Sends what is due. Returns when to be called again, and whether that was all.
    private func advance(_ outgoing: inout OutgoingDatagrams) -> (MediaTime, isClosed: Bool) {
        for _ in 0..<LiveForwarder.batchLimit {
            let now = clock.now
            let (wakeTime, isClosed) = fill(&outgoing, at: now)
            if !outgoing.isEmpty {
                switch socket.send(&outgoing) {
                case .sent: break
                case .refused: outgoing.removeAll()
                // They leave as soon as the system takes them: its buffer holds some milliseconds' worth.
                case .bufferFull: return (now + .milliseconds(1), isClosed && outgoing.isEmpty)
                }
            }
            if let wakeTime { return (wakeTime, isClosed) }
        }
        return (clock.now, false)
    }

    /// Adds what is due until the batch is full. Returns when to be called again; `nil` for at once.
    private func fill(_ outgoing: inout OutgoingDatagrams, at now: MediaTime) -> (MediaTime?, isClosed: Bool) {
        state.withLock { state in
            while !outgoing.isFull {
                switch state.forwarder.poll(at: now, into: &state.bytes) {
                case .transmit(on: let path):
                    outgoing.append(to: path.remote, from: addresses.source(path.socket)) { output in
                        output.append(copying: state.bytes.span)
                    }
                case .event(let event): state.events.append(event)
                case .wait(until: let time): return (PollBound.wait(until: time, after: now), state.isClosed)
                }
            }
            return (nil, false)
        }
    }

    private func tell() {
        let events = state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
        for event in events { handle(event) }
    }
}
