public import RillCore

/// Many agents on one UDP port: finds the one that a datagram is for, and polls those that have something to do.
///
/// ```swift
/// let port = ICEPort(peerLimit: 1000)
/// let peer = try port.add(ICEAgent(.lite, credentials: credentials, settings: ICESettings(seed: seed)))
/// …
/// switch port.insert(datagram, on: ICEPath(source), at: now) {
/// case .peer(let peer, .data): connections[peer].insert(datagram, at: now)
/// default: break
/// }
/// work: while true {
///     switch port.poll(at: now, into: &bytes) {
///     case .transmit(on: let path): socket.send(bytes, to: path.remote)
///     case .event(let peer, let event): connections[peer].handle(event)
///     case .wait(until: let time): wakeUp = time; break work
///     }
/// }
/// ```
///
/// A request of STUN is for the agent whose username fragment comes first in USERNAME. All else is for the agent to which
/// the address belongs: the last one for which an authenticated request came from there, or which sends checks there.
/// Before that, nothing but STUN is passed on from an address.
///
/// Full agents may share a port too, as long as no two of them check the same remote address.
///
/// Memory: strangers leave nothing behind. A port keeps at most `peerLimit` agents, and for each one the addresses of its
/// pairs, at most ``ICESettings/maximumPairCount`` and twice that for a while. Cost: a datagram takes one or two look-ups
/// in tables; a request with a known fragment, one HMAC.
///
/// It has one owner, and no thread, clock or socket. After any call to an agent's own methods, the agent must be polled:
/// make such calls through ``change(_:_:)``.
public final class ICEPort {
    /// The most agents.
    public let peerLimit: Int
    /// What was counted.
    public private(set) var statistics = ICEPortStatistics()

    private var peers: [ICEPeerID: Peer] = [:]
    private var fragments: [UsernameFragmentKey: ICEPeerID] = [:]
    private var owners: [ICEPath: ICEPeerID] = [:]
    /// Agents that may have something to do now, each once.
    private var ready: [ICEPeerID] = []
    private var wakeQueue = WakeQueue()
    private var peerCount = 0

    private final class Peer {
        let agent: ICEAgent
        var fragments: [UsernameFragmentKey] = []
        /// The agent's ``ICEAgent/generationChangeCount`` when its fragments were last noted; `nil` for never.
        var generationChangeCount: Int?
        /// The addresses that were noted as this agent's. Another may have taken some over.
        var paths: [ICEPath] = []
        var isReady = false

        init(_ agent: ICEAgent) { self.agent = agent }
    }

    /// Creates a port without agents.
    ///
    /// - Parameter peerLimit: the most agents.
    public init(peerLimit: Int) { self.peerLimit = peerLimit }

    // MARK: Agents

    /// How many agents there are.
    public var count: Int { peers.count }

    /// How many addresses belong to agents.
    public var pathCount: Int { owners.count }

    /// Adds an agent.
    ///
    /// - Parameter agent: the agent. The port owns it from now on.
    /// - Returns: its number.
    /// - Throws: `tooManyPeers` or `usernameFragmentInUse`.
    public func add(_ agent: ICEAgent) throws(ICEError) -> ICEPeerID {
        guard peers.count < peerLimit else { throw .tooManyPeers(limit: peerLimit) }
        for key in agent.fragmentKeys where fragments[key] != nil {
            throw .usernameFragmentInUse(agent.credentials.usernameFragment)
        }
        peerCount += 1
        let id = ICEPeerID(rawValue: peerCount)
        let peer = Peer(agent)
        peers[id] = peer
        updateFragments(of: peer, id)
        markReady(peer, id)
        return id
    }

    /// Removes an agent. Its addresses and fragments are forgotten.
    ///
    /// - Parameter id: the agent's number.
    /// - Returns: the agent; `nil` for an unknown number.
    @discardableResult
    public func remove(_ id: ICEPeerID) -> ICEAgent? {
        guard let peer = peers.removeValue(forKey: id) else { return nil }
        for key in peer.fragments where fragments[key] == id { fragments[key] = nil }
        for path in peer.paths where owners[path] == id { owners[path] = nil }
        if peer.isReady { ready.removeAll { $0 == id } }
        wakeQueue.remove(id)
        return peer.agent
    }

    /// An agent, to read its state.
    ///
    /// - Parameter id: the agent's number.
    public subscript(id: ICEPeerID) -> ICEAgent? { peers[id]?.agent }

    /// Calls an agent's methods, for example to set its remote credentials or to restart it; poll afterwards.
    ///
    /// - Parameters:
    ///   - id: the agent's number.
    ///   - body: what to do with it. New credentials must have a fragment that no other agent of the port has.
    /// - Returns: what `body` returns; `nil` for an unknown number.
    @discardableResult
    public func change<Value, Failure: Error>(
        _ id: ICEPeerID, _ body: (ICEAgent) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard let peer = peers[id] else { return nil }
        defer {
            updateFragments(of: peer, id)
            markReady(peer, id)
        }
        return try body(peer.agent)
    }

    private func updateFragments(of peer: Peer, _ id: ICEPeerID) {
        guard peer.generationChangeCount != peer.agent.generationChangeCount else { return }
        peer.generationChangeCount = peer.agent.generationChangeCount
        let keys = peer.agent.fragmentKeys
        for key in peer.fragments where fragments[key] == id && !keys.contains(key) { fragments[key] = nil }
        for key in keys {
            precondition(fragments[key] ?? id == id, "another agent of the port has the same username fragment")
            fragments[key] = id
        }
        peer.fragments = keys
    }

    private func markReady(_ peer: Peer, _ id: ICEPeerID) {
        guard !peer.isReady else { return }
        peer.isReady = true
        ready.append(id)
    }

    // MARK: Datagrams

    /// Takes a datagram; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: any bytes.
    ///   - path: where it came from.
    ///   - now: the current time.
    /// - Returns: what became of it.
    public func insert(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        statistics.datagramsReceived += 1
        guard STUNMessage.matches(datagram) else { return insertData(datagram, on: path, at: now) }
        do throws(STUNError) {
            return insert(try STUNMessage(parsing: datagram), on: path, at: now)
        } catch {
            statistics.malformedDropped += 1
            return .dropped(.malformed(error))
        }
    }

    private func insertData(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        guard let id = owners[path], let peer = peers[id] else {
            statistics.unvalidatedDropped += 1
            return .dropped(.unvalidatedAddress)
        }
        let result = peer.agent.insert(datagram, on: path, at: now)
        if result == .data {
            statistics.dataReceived += 1
        } else {
            statistics.unvalidatedDropped += 1
        }
        return .peer(id, result)
    }

    private func insert(_ message: borrowing STUNMessage, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        guard let id = owner(of: message, on: path), let peer = peers[id] else {
            statistics.strangersDropped += 1
            guard message.type.messageClass == .request else { return .dropped(.unexpected) }
            return .dropped(message.username == nil ? .noUsername : .unknownUsername)
        }
        let result = peer.agent.insert(message, on: path, at: now)
        statistics.messagesReceived += 1
        switch result {
        case .answered: note(path, of: peer, id)
        case .dropped:
            statistics.messagesDropped += 1
            return .peer(id, result)
        case .data, .refused, .confirmed, .declined, .keepalive: break
        }
        updateFragments(of: peer, id)
        markReady(peer, id)
        return .peer(id, result)
    }

    private func owner(of message: borrowing STUNMessage, on path: ICEPath) -> ICEPeerID? {
        guard message.type.messageClass == .request else { return owners[path] }
        guard let name = message.username, let key = UsernameFragmentKey(ofUsername: name) else { return nil }
        return fragments[key]
    }

    /// Notes that an address is an agent's, of which an authenticated request came from there, or which sends to it. If
    /// it was another's, that one gets it back with its next request.
    private func note(_ path: ICEPath, of peer: Peer, _ id: ICEPeerID) {
        guard owners[path] != id else { return }
        owners[path] = id
        if !peer.paths.contains(path) { peer.paths.append(path) }
        guard peer.paths.count > 2 * peer.agent.settings.maximumPairCount else { return }
        peer.paths.removeAll { path in
            guard !peer.agent.hasPair(on: path) else { return false }
            if owners[path] == id { owners[path] = nil }
            return true
        }
    }

    // MARK: Actions

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit. Pass the same array each time: its memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ICEPortAction {
        while let id = wakeQueue.takeDue(at: now) {
            if let peer = peers[id] { markReady(peer, id) }
        }
        while let id = ready.last {
            guard let peer = peers[id] else {
                ready.removeLast()
                continue
            }
            switch peer.agent.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                note(path, of: peer, id)
                return .transmit(on: path)
            case .event(let event): return .event(id, event)
            case .wait(until: let time):
                ready.removeLast()
                peer.isReady = false
                updateFragments(of: peer, id)
                wakeQueue.schedule(id, at: time)
            }
        }
        return .wait(until: wakeQueue.next)
    }
}

extension ICEAgent {
    /// The fragments by which requests name this agent: also the one before a restart, as long as that is used.
    fileprivate var fragmentKeys: [UsernameFragmentKey] {
        [generation, formerGeneration].compactMap { $0.flatMap { UsernameFragmentKey($0.local.usernameFragment) } }
    }

    fileprivate func hasPair(on path: ICEPath) -> Bool { pairs.contains { $0.path == path } }
}
