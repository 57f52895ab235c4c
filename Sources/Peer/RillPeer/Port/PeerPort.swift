public import RillCore
import RillRTP
public import RillReceive
public import RillSession

/// Many connections on one UDP port.
///
/// ```swift
/// let port = PeerPort(peerLimit: 1000)
/// let bob = try port.add(PeerConnection(.controlled, certificate: certificate))
/// let answer = try port.change(bob) { peer throws(PeerError) in try peer.answer(offer, at: now) }
/// …
/// port.insert(&datagram, on: ICEPath(source), at: now)
/// work: while true {
///     switch port.poll(at: now, into: &bytes) {
///     case .transmit(on: let path): socket.send(bytes, to: path.remote)
///     case .event(let peer, let event): app.handle(event, of: peer)
///     case .wait(until: let time): wakeUp = time; break work
///     …
///     }
/// }
/// ```
///
/// Datagrams find their connection as ``ICEPort`` has it: requests of STUN by their user name fragment, all else by the
/// address that answered a check of the connection's. If several connections validated an address, the keys of SRTP
/// show whose a packet is; a handshake is that of the first one which is not connected yet. A connection that is closed
/// is removed once the peer was notified.
///
/// It has one owner, and no thread, clock or socket. Call a connection's own methods through ``change(_:_:)``, so that
/// it is polled afterwards.
public final class PeerPort {
    private let port: ICEPort
    private let passesMedia: Bool
    // No code of a caller's runs during an access to one of these: see RTPSession.
    @safe @exclusivity(unchecked) private var connections: [ICEPeerID: PeerConnection] = [:]
    @safe @exclusivity(unchecked) private var schedule = PeerSchedule()

    /// Creates a port without connections.
    ///
    /// - Parameter peerLimit: the most connections.
    public convenience init(peerLimit: Int) { self.init(peerLimit: peerLimit, passesMedia: false) }

    /// Creates a port without connections. `passesMedia`: a driver holds the media of them all, as their settings say
    /// too.
    package init(peerLimit: Int, passesMedia: Bool) {
        (port, self.passesMedia) = (ICEPort(peerLimit: peerLimit), passesMedia)
    }

    /// How many connections there are.
    public var count: Int { connections.count }
    /// The connections' numbers, in the order in which they were added.
    public var peers: [ICEPeerID] { connections.keys.sorted { $0.rawValue < $1.rawValue } }
    /// What was counted of datagrams.
    public var statistics: ICEPortStatistics { port.statistics }
    /// How many addresses belong to connections.
    public var pathCount: Int { port.pathCount }

    /// A connection, to read its state; `nil` for an unknown number.
    public subscript(id: ICEPeerID) -> PeerConnection? { connections[id] }

    /// Adds a connection.
    ///
    /// - Parameter connection: the connection. The port owns it from now on.
    /// - Returns: its number.
    /// - Throws: `tooManyPeers` or `usernameFragmentInUse`.
    public func add(_ connection: PeerConnection) throws(ICEError) -> ICEPeerID {
        precondition(connection.settings.passesMedia == passesMedia, "the port and its connections differ")
        let id = try port.add(connection.agent)
        connections[id] = connection
        schedule.note(id)
        return id
    }

    /// Removes a connection at once, without a word to the peer: ``PeerConnection/close(at:)`` notifies the peer.
    ///
    /// - Parameter id: the connection's number.
    /// - Returns: the connection; `nil` for an unknown number.
    @discardableResult
    public func remove(_ id: ICEPeerID) -> PeerConnection? {
        guard let connection = connections.removeValue(forKey: id) else { return nil }
        port.remove(id)
        schedule.remove(id)
        return connection
    }

    /// Calls a connection's methods; poll afterwards.
    ///
    /// - Parameters:
    ///   - id: the connection's number.
    ///   - body: what to do with it.
    /// - Returns: what `body` returns; `nil` for an unknown number.
    @discardableResult
    public func change<Value, Failure: Error>(
        _ id: ICEPeerID, _ body: (PeerConnection) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard let connection = connections[id] else { return nil }
        defer { schedule.note(id) }
        // The agent's credentials may change.
        return try port.change(id) { _ throws(Failure) in try body(connection) }
    }

    // MARK: Datagrams and time

    /// Takes a datagram; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: any bytes. A packet of SRTP is decrypted in place.
    ///   - path: where it came from.
    ///   - now: the current time.
    /// - Returns: what became of it.
    @discardableResult
    public func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime
    ) -> PeerPortResult {
        insert(&datagram, on: path, at: now, arrival: now)
    }

    /// Takes a datagram that arrived at another time, not after `now`.
    package func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime, arrival: MediaTime
    ) -> PeerPortResult {
        switch port.insert(datagram.span, on: path, at: now) {
        // The keys, which the driver has, show whose a packet is.
        case .peer(let id, .data) where passesMedia && datagram.span.isMedia: return .peer(id, .passed)
        case .shared(let ids) where passesMedia && datagram.span.isMedia: return .peer(ids[0], .passed)
        case .peer(let id, .data):
            guard let connection = connections[id] else { return .dropped(.unvalidatedAddress) }
            schedule.note(id)
            return .peer(id, connection.insert(data: &datagram, at: now, arrival: arrival))
        case .peer(let id, .early):
            guard let connection = connections[id] else { return .dropped(.unvalidatedAddress) }
            return .peer(id, connection.insert(early: datagram.span, on: path))
        case .peer(let id, let result):
            // A handshake may begin with the first check.
            if case .answered = result { schedule.note(id) }
            return .peer(id, .ice(result))
        case .shared(let ids): return insert(&datagram, on: path, sharedBy: ids, at: now, arrival: arrival)
        case .dropped(let reason): return .dropped(reason)
        }
    }

    /// Takes a datagram from an address that several connections have validated.
    private func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, sharedBy ids: [ICEPeerID], at now: MediaTime,
        arrival: MediaTime
    ) -> PeerPortResult {
        // Records without encryption have no integrity: in another connection, they would make its handshake fail.
        let isClear = DatagramKind(of: datagram.span) == .dtls && !DTLSRecords.isEncrypted(datagram.span)
        let open = isClear ? ids.first { connections[$0]?.link.keys == nil } : nil
        var first: PeerPortResult?
        for id in open.map({ [$0] }) ?? ids {
            guard let connection = connections[id] else { continue }
            // A copy: with the wrong key, libsrtp leaves it damaged.
            var copy = datagram.span.array
            var span = copy.mutableSpan
            let result = connection.insert(data: &span, at: now, arrival: arrival)
            schedule.note(id)
            first = first ?? .peer(id, result)
            if result.isOfAnother { continue }
            port.take(datagram.count, id, on: path, at: now)
            for index in span.indices { datagram[index] = span[index] }
            return .peer(id, result)
        }
        return first ?? .dropped(.unvalidatedAddress)
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit, or the frame to decode. Pass the same array each time: its memory
    ///     is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> PeerPortAction {
        var wakeTime = MediaTime.distantFuture
        var bound = PeerPollBound()
        agents: while true {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): return .transmit(on: path)
            case .event(let id, let event):
                schedule.note(id)
                guard bound.take(id) else {
                    connections[id]?.link.stop(after: bound.count)
                    port.remove(id)
                    continue
                }
                connections[id]?.link.take(event, at: now)
            case .wait(until: let time):
                wakeTime = time
                break agents
            }
        }
        schedule.wake(at: now)
        while let id = schedule.next {
            guard let connection = connections[id] else {
                schedule.remove(id)
                continue
            }
            switch connection.pollConnection(at: now, into: &bytes) {
            case .transmit(on: let path): return .transmit(on: path)
            case .decode(of: let stream): return .decode(id, stream)
            case .payload(of: let stream, let payload): return .payload(id, stream, payload)
            case .makeKeyFrame(of: let stream): return .makeKeyFrame(id, stream)
            case .event(let event): return .event(id, event)
            case .wait(until: let time):
                if connection.state == .closed { remove(id) } else { schedule.rest(id, until: time) }
            }
        }
        return .wait(until: min(wakeTime, schedule.wakeTime))
    }
}

extension Span<UInt8> {
    fileprivate var isMedia: Bool { PacketKind(of: self) != .other }
}

extension PeerInsertResult {
    /// Whether a datagram may be that of another connection with the same address. DTLS drops the records of another
    /// one without a word (RFC 6347 §4.1.2.7).
    fileprivate var isOfAnother: Bool {
        switch self {
        case .media, .passed: false
        case .ice, .dtls, .held, .dropped: true
        }
    }
}

/// What became of a datagram at a ``PeerPort``.
public enum PeerPortResult: Equatable, Sendable {
    /// It was for that connection.
    case peer(ICEPeerID, PeerInsertResult)
    /// It was for none.
    case dropped(ICEUnknownPeerReason)
}

/// What ``PeerPort/poll(at:into:)`` asks for.
public enum PeerPortAction: Sendable {
    /// Send the datagram that was written.
    case transmit(on: ICEPath)
    /// Decode a frame of a connection's stream: as ``PeerAction/decode(of:)``.
    case decode(ICEPeerID, ReceivingStreamID)
    /// Play a payload of a connection's stream of sound, or pass it on: as ``PeerAction/payload(of:_:)``.
    case payload(ICEPeerID, ReceivingStreamID, ReceivedPayload)
    /// Encode a key frame of a connection's stream.
    case makeKeyFrame(ICEPeerID, SendingStreamID)
    /// Take note of a connection's event.
    case event(ICEPeerID, PeerEvent)
    /// Poll again at this time, or after the next call.
    case wait(until: MediaTime)
}
