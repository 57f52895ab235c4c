import RillCore
import RillState

/// The tables of an ``ICEPort``.
struct ICEPortCore: ~Copyable {
    let peerLimit: Int
    private(set) var statistics = ICEPortStatistics()
    private(set) var peers: [ICEPeerID: Peer] = [:]
    private(set) var owners: [ICEPath: Peer] = [:]
    private var fragments: [UsernameFragmentKey: Peer] = [:]
    /// Agents that may have something to do now, each once.
    private var ready: [Peer] = []
    private var wakeQueue = WakeQueue()
    private var peerCount = 0

    /// An agent, and what the tables have of it.
    final class Peer {
        let id: ICEPeerID
        let agent: ICEAgent
        fileprivate var fragments: [UsernameFragmentKey] = []
        /// The agent's ``ICEAgentCore/generationChangeCount`` when its fragments were last noted; `nil` for never.
        fileprivate var generationChangeCount: Int?
        /// The addresses that were noted as this agent's. Another may have taken some over.
        fileprivate var paths: [ICEPath] = []
        fileprivate var isReady = false

        fileprivate init(_ id: ICEPeerID, _ agent: ICEAgent) {
            self.id = id
            self.agent = agent
        }
    }

    init(peerLimit: Int) { self.peerLimit = peerLimit }

    // MARK: Agents

    mutating func add(_ agent: ICEAgent) throws(ICEError) -> ICEPeerID {
        guard peers.count < peerLimit else { throw .tooManyPeers(limit: peerLimit) }
        for key in agent.cell.state.fragmentKeys where fragments[key] != nil {
            throw .usernameFragmentInUse(agent.credentials.usernameFragment)
        }
        peerCount += 1
        let peer = Peer(ICEPeerID(rawValue: peerCount), agent)
        peers[peer.id] = peer
        updateFragments(of: peer)
        markReady(peer)
        return peer.id
    }

    mutating func remove(_ id: ICEPeerID) -> ICEAgent? {
        guard let peer = peers.removeValue(forKey: id) else { return nil }
        for key in peer.fragments where fragments[key] === peer { fragments[key] = nil }
        for path in peer.paths where owners[path] === peer { owners[path] = nil }
        if peer.isReady { ready.removeAll { $0 === peer } }
        wakeQueue.remove(id)
        return peer.agent
    }

    mutating func noteChange(of id: ICEPeerID) {
        guard let peer = peers[id] else { return }
        updateFragments(of: peer)
        markReady(peer)
    }

    private mutating func updateFragments(of peer: Peer) {
        let count = peer.agent.cell.state.generationChangeCount
        guard peer.generationChangeCount != count else { return }
        peer.generationChangeCount = count
        let keys = peer.agent.cell.state.fragmentKeys
        for key in peer.fragments where fragments[key] === peer && !keys.contains(key) { fragments[key] = nil }
        for key in keys {
            precondition(
                fragments[key] == nil || fragments[key] === peer,
                "another agent of the port has the same username fragment")
            fragments[key] = peer
        }
        peer.fragments = keys
    }

    private mutating func markReady(_ peer: Peer) {
        guard !peer.isReady else { return }
        peer.isReady = true
        ready.append(peer)
    }

    // MARK: Datagrams

    mutating func insert(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        statistics.datagramsReceived += 1
        guard STUNMessage.matches(datagram) else { return insertData(datagram, on: path, at: now) }
        do throws(STUNError) {
            return insert(try STUNMessage(parsing: datagram), on: path, at: now)
        } catch {
            statistics.malformedDropped += 1
            return .dropped(.malformed(error))
        }
    }

    private mutating func insertData(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        guard let peer = owners[path] else {
            statistics.unvalidatedDropped += 1
            return .dropped(.unvalidatedAddress)
        }
        let result = peer.agent.cell.state.insert(datagram, on: path, at: now)
        if case .data = result {
            statistics.dataReceived += 1
        } else {
            statistics.unvalidatedDropped += 1
        }
        return .peer(peer.id, result)
    }

    private mutating func insert(
        _ message: borrowing STUNMessage, on path: ICEPath, at now: MediaTime
    ) -> ICEPortResult {
        guard let peer = owner(of: message, on: path) else {
            statistics.strangersDropped += 1
            guard message.type.messageClass == .request else { return .dropped(.unexpected) }
            return .dropped(message.username == nil ? .noUsername : .unknownUsername)
        }
        let result = peer.agent.cell.state.insert(message, on: path, at: now)
        statistics.messagesReceived += 1
        switch result {
        case .answered: note(path, of: peer)
        case .dropped:
            statistics.messagesDropped += 1
            return .peer(peer.id, result)
        case .data, .refused, .confirmed, .declined, .keepalive: break
        }
        updateFragments(of: peer)
        markReady(peer)
        return .peer(peer.id, result)
    }

    private func owner(of message: borrowing STUNMessage, on path: ICEPath) -> Peer? {
        guard message.type.messageClass == .request else { return owners[path] }
        guard let name = message.username, let key = UsernameFragmentKey(ofUsername: name) else { return nil }
        return fragments[key]
    }

    /// Notes that an address is an agent's, of which an authenticated request came from there, or which sends to it. If
    /// it was another's, that one gets it back with its next request.
    private mutating func note(_ path: ICEPath, of peer: Peer) {
        guard owners[path] !== peer else { return }
        owners[path] = peer
        if !peer.paths.contains(path) { peer.paths.append(path) }
        guard peer.paths.count > 2 * peer.agent.settings.maximumPairCount else { return }
        for path in peer.paths where !peer.agent.cell.state.hasPair(on: path) && owners[path] === peer {
            owners[path] = nil
        }
        peer.paths.removeAll { !peer.agent.cell.state.hasPair(on: $0) }
    }

    // MARK: Actions

    mutating func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ICEPortAction {
        while let id = wakeQueue.takeDue(at: now) {
            if let peer = peers[id] { markReady(peer) }
        }
        while let peer = ready.last {
            switch peer.agent.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                note(path, of: peer)
                return .transmit(on: path)
            case .event(let event): return .event(peer.id, event)
            case .wait(until: let time):
                ready.removeLast()
                peer.isReady = false
                updateFragments(of: peer)
                wakeQueue.schedule(peer.id, at: time)
            }
        }
        return .wait(until: wakeQueue.next)
    }
}

extension ICEAgentCore {
    /// The fragments by which requests name this agent: also the one before a restart, as long as that is used.
    fileprivate var fragmentKeys: [UsernameFragmentKey] {
        [generation, formerGeneration].compactMap { $0.flatMap { UsernameFragmentKey($0.local.usernameFragment) } }
    }

    fileprivate func hasPair(on path: ICEPath) -> Bool { pairs.contains { $0.path == path } }
}
