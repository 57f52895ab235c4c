import RillCore
import RillState

/// The tables of an ``ICEPort``.
struct ICEPortCore: ~Copyable {
    let peerLimit: Int
    private var counts = ICEPortStatistics()
    private(set) var peers: [ICEPeerID: Peer] = [:]
    /// The agent that has validated an address; of several, the one that took data last.
    private(set) var owners: [ICEPath: Peer] = [:]
    /// The others that have validated it too. Apart from `owners`: nearly all addresses have one agent, and a value
    /// with both would count references twice for each datagram.
    private var sharers: [ICEPath: [Peer]] = [:]
    /// The agent of the last authentic request from an address that nobody has validated.
    private var heard: [ICEPath: Peer] = [:]
    private var fragments: [UsernameFragmentKey: Peer] = [:]
    /// The agents by the first bits of their transactions' identifiers.
    private var transactions: [UInt32: Peer] = [:]
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
        /// The addresses at which the tables have this agent.
        fileprivate var paths: [ICEPath] = []
        fileprivate var isReady = false

        fileprivate init(_ id: ICEPeerID, _ agent: ICEAgent) {
            self.id = id
            self.agent = agent
        }
    }

    init(peerLimit: Int) { self.peerLimit = peerLimit }

    /// What was counted.
    var statistics: ICEPortStatistics {
        var all = counts
        for peer in peers.values { all.agents.add(peer.agent.counts) }
        return all
    }

    // MARK: Agents

    mutating func add(_ agent: ICEAgent) throws(ICEError) -> ICEPeerID {
        guard peers.count < peerLimit else { throw .tooManyPeers(limit: peerLimit) }
        for key in agent.cell.state.fragmentKeys where fragments[key] != nil {
            throw .usernameFragmentInUse(agent.credentials.usernameFragment)
        }
        peerCount += 1
        let peer = Peer(ICEPeerID(rawValue: peerCount), agent)
        while transactions[agent.cell.state.transactionPrefix] != nil { agent.cell.state.redrawTransactionPrefix() }
        transactions[agent.cell.state.transactionPrefix] = peer
        peers[peer.id] = peer
        updateFragments(of: peer)
        markReady(peer)
        return peer.id
    }

    mutating func remove(_ id: ICEPeerID) -> ICEAgent? {
        guard let peer = peers.removeValue(forKey: id) else { return nil }
        for key in peer.fragments where fragments[key] === peer { fragments[key] = nil }
        transactions[peer.agent.cell.state.transactionPrefix] = nil
        counts.agents.add(peer.agent.counts)
        for path in peer.paths { forget(path, of: peer) }
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
        counts.datagramsReceived += 1
        guard STUNMessage.matches(datagram) else { return insertData(datagram, on: path, at: now) }
        do throws(STUNError) {
            return insert(try STUNMessage(parsing: datagram), on: path, at: now)
        } catch {
            counts.malformedDropped += 1
            return .dropped(.malformed(error))
        }
    }

    private mutating func insertData(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        guard let peer = owners[path] else { return insertEarly(datagram, on: path, at: now) }
        if !sharers.isEmpty, sharers[path] != nil { return insertShared(owners(of: path), on: path) }
        let result = peer.agent.cell.state.insertData(datagram.count, on: path, at: now)
        if case .data = result {
            counts.dataReceived += 1
        } else {
            // Its pair is gone.
            counts.unvalidatedDropped += 1
            forget(path, of: peer)
        }
        return .peer(peer.id, result)
    }

    private mutating func insertEarly(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        guard let peer = heard[path] else {
            counts.unvalidatedDropped += 1
            return .dropped(.unvalidatedAddress)
        }
        let result = peer.agent.cell.state.insertData(datagram.count, on: path, at: now)
        if case .early = result {
            counts.earlyReceived += 1
        } else {
            counts.unvalidatedDropped += 1
            forget(path, of: peer)
        }
        return .peer(peer.id, result)
    }

    private mutating func insertShared(_ all: [Peer], on path: ICEPath) -> ICEPortResult {
        let valid = all.filter { $0.agent.cell.state.isValidated(path) }
        if valid.count < all.count { setOwners(valid, of: path) }
        guard !valid.isEmpty else {
            counts.unvalidatedDropped += 1
            return .dropped(.unvalidatedAddress)
        }
        counts.sharedReceived += 1
        return .shared(valid.map(\.id))
    }

    mutating func take(_ byteCount: Int, _ id: ICEPeerID, on path: ICEPath, at now: MediaTime) {
        let all = owners(of: path)
        guard let peer = peers[id], all.contains(where: { $0 === peer }) else { return }
        peer.agent.cell.state.countData(byteCount, on: path, at: now)
        counts.dataReceived += 1
        if all[0] !== peer { setOwners([peer] + all.filter { $0 !== peer }, of: path) }
    }

    private mutating func insert(
        _ message: borrowing STUNMessage, on path: ICEPath, at now: MediaTime
    ) -> ICEPortResult {
        guard let peer = recipient(of: message, on: path) else {
            counts.unknownPeersDropped += 1
            guard message.type.messageClass == .request else { return .dropped(.unexpected) }
            return .dropped(message.username == nil ? .noUsername : .unknownUsername)
        }
        let result = peer.agent.cell.state.insert(message, on: path, at: now)
        counts.messagesReceived += 1
        switch result {
        case .answered: if owners[path] == nil { hear(path, peer) }
        case .confirmed, .declined: own(path, peer)
        case .dropped:
            counts.messagesDropped += 1
            return .peer(peer.id, result)
        case .data, .early, .refused, .keepalive: break
        }
        updateFragments(of: peer)
        markReady(peer)
        return .peer(peer.id, result)
    }

    private mutating func recipient(of message: borrowing STUNMessage, on path: ICEPath) -> Peer? {
        switch message.type.messageClass {
        case .request:
            guard let name = message.username, let key = UsernameFragmentKey(ofUsername: name) else { return nil }
            return fragments[key]
        case .success, .error: return transactions[message.transactionID.high]
        case .indication: return owners[path] ?? heard[path]
        }
    }

    // MARK: Addresses

    /// The agents that have validated an address; the first took data last.
    ///
    /// `mutating`, so that Swift 6.3 does not copy the port.
    private mutating func owners(of path: ICEPath) -> [Peer] {
        guard let first = owners[path] else { return [] }
        return [first] + (sharers[path] ?? [])
    }

    private mutating func setOwners(_ all: [Peer], of path: ICEPath) {
        owners[path] = all.first
        sharers[path] = all.count > 1 ? Array(all.dropFirst()) : nil
    }

    /// An authentic request came from an address, perhaps as a copy.
    private mutating func hear(_ path: ICEPath, _ peer: Peer) {
        guard heard[path] !== peer else { return }
        heard[path] = peer
        record(path, of: peer)
    }

    /// A check of an agent was answered from an address.
    private mutating func own(_ path: ICEPath, _ peer: Peer) {
        guard peer.agent.cell.state.isValidated(path) else { return }
        heard[path] = nil
        let all = owners(of: path)
        guard !all.contains(where: { $0 === peer }) else { return }
        // Behind the others: until it has taken data, they are more likely.
        setOwners(all.prefix(ICEPort.maximumSharedCount - 1) + [peer], of: path)
        record(path, of: peer)
    }

    private mutating func record(_ path: ICEPath, of peer: Peer) {
        if !peer.paths.contains(path) { peer.paths.append(path) }
        guard peer.paths.count > 2 * peer.agent.settings.maximumPairCount else { return }
        for path in peer.paths where !peer.agent.cell.state.hasPair(on: path) { forget(path, of: peer) }
    }

    private mutating func forget(_ path: ICEPath, of peer: Peer) {
        if heard[path] === peer { heard[path] = nil }
        setOwners(owners(of: path).filter { $0 !== peer }, of: path)
        peer.paths.removeAll { $0 == path }
    }

    // MARK: Actions

    mutating func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ICEPortAction {
        while let id = wakeQueue.takeDue(at: now) {
            if let peer = peers[id] { markReady(peer) }
        }
        while let peer = ready.last {
            switch peer.agent.poll(at: now, into: &bytes) {
            case .transmit(on: let path): return .transmit(on: path)
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

/// One of our own username fragments as the key of a table: at most 32 bytes, held in place.
///
/// Fragments have no byte of zero, so that the padding is unambiguous.
struct UsernameFragmentKey: Hashable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init?(_ fragment: String) {
        let bytes = Array(fragment.utf8)
        self.init(bytes.span)
    }

    /// The part of a request's USERNAME before the colon; `nil` if that has no length that one of ours may have.
    init?(ofUsername name: Span<UInt8>) {
        var count = 0
        while count < name.count, name[count] != UInt8(ascii: ":") {
            count &+= 1
            guard count <= ICECredentials.maximumOwnFragmentByteCount else { return nil }
        }
        guard count < name.count else { return nil }
        self.init(name.extracting(first: count))
    }

    private init?(_ bytes: Span<UInt8>) {
        guard (4...ICECredentials.maximumOwnFragmentByteCount).contains(bytes.count) else { return nil }
        func word(at start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<start + 8 { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
            return word
        }
        words = (word(at: 0), word(at: 8), word(at: 16), word(at: 24))
    }

    static func == (a: UsernameFragmentKey, b: UsernameFragmentKey) -> Bool { a.words == b.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        guard words.1 != 0 else { return }
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}
