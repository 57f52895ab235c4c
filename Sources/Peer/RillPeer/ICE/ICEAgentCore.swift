import RillCore

/// The state machine of an ``ICEAgent``.
///
/// A value in one place: a call to the agent accesses it once, instead of checking exclusive access for each property.
struct ICEAgentCore: ~Copyable {
    let settings: ICESettings
    var role: ICERole
    private(set) var state = ICEState.new

    var generation: ICEGeneration
    /// The one before the last restart, until a path of the new one is nominated. Its consent checks are still
    /// answered.
    var formerGeneration: ICEGeneration? { didSet { generationChangeCount += 1 } }
    /// How often it changed which credentials are accepted.
    private(set) var generationChangeCount = 0
    /// The one that the last restart ended, until the other side has agreed to it: ``cancelRestart(at:)`` returns to
    /// it.
    private var replaced: (generation: ICEGeneration, isFailed: Bool, candidates: [ICECandidate])?
    var random: SeededGenerator
    var tiebreaker: UInt64
    /// The first bits of our transactions' identifiers, by which a port finds the agent that a response is for.
    private(set) var transactionPrefix: UInt32
    var isRemoteLite = false

    var locals: [Local] = []
    var remoteCandidates: [ICECandidate] = []
    /// Pairs of the current generation, and the selected one of the former.
    var pairs: [ICEPair] = []
    /// Pairs that are checked before all others, by their numbers (RFC 8445 §6.1.4.1).
    var triggered: [Int] = []
    var selectedID: Int?
    private var nextPairID = 0

    /// When the next check may begin: Ta after the last.
    var nextCheckTime = MediaTime(nanoseconds: .min)
    /// When to give up, if nothing is left to try.
    var connectDeadline: MediaTime?
    var startTime: MediaTime?
    /// When the best pair is nominated, even if a better one may still come.
    var nominationDeadline: MediaTime?
    /// The pair that is being nominated.
    var nominatingID: Int?
    /// Whether all pairs are checked again, because the selected one is silent.
    var isRecovering = false
    var consent = ICEConsent()
    /// Requests of the current generation.
    var history = ICERequestHistory()
    /// What may be sent to addresses that the other side announced, and from which nothing came: all together.
    var announcedBudget = ICEPathBudget()
    var counts = ICEAgentCounts()
    /// Ends the agent if something stays due, and whether it has. Here, not in ``ICEAgent``: each modification of a
    /// class's property is checked, which took 350 instructions of a check.
    var wakeBound = WakeBound()
    var hasEnded = false
    /// For tests: something stays due, and nothing is done about it.
    var isStalled = false

    var responses: [ICEResponse] = []
    var events: [ICEEvent] = []

    struct Local {
        let candidate: ICECandidate
        let socket: Int
    }

    init(_ role: ICERole, _ credentials: ICECredentials, _ settings: ICESettings) {
        (self.role, self.settings) = (role, settings)
        generation = ICEGeneration(credentials)
        random = SeededGenerator(seed: settings.seed)
        tiebreaker = random.next()
        transactionPrefix = UInt32(truncatingIfNeeded: random.next())
    }

    /// Draws other first bits: another agent of the port has the same.
    mutating func redrawTransactionPrefix() { transactionPrefix = UInt32(truncatingIfNeeded: random.next()) }

    mutating func makeTransactionID() -> STUNTransactionID {
        STUNTransactionID(high: transactionPrefix, low: random.next())
    }

    /// Where data goes.
    var selectedPath: ICEPath? {
        mutating get { if let index = selectedIndex { pairs[index].path } else { nil } }
    }

    mutating func begin(at now: MediaTime) {
        guard state == .new else { return }
        startTime = now
        connectDeadline = now + settings.connectTimeout
        setState(.checking)
    }

    mutating func setState(_ new: ICEState) {
        guard new != state else { return }
        events.append(.stateChanged(from: state, to: new))
        state = new
    }

    /// Begins with new credentials, and keeps the selected path and the candidates of this side.
    mutating func restart(with credentials: ICECredentials) {
        precondition(
            credentials.usernameFragment != generation.local.usernameFragment, "a restart needs a new username fragment"
        )
        let kept = selectedID
        // A generation that another restart ends before it had a path is gone; the selected path's is still in use.
        replaced = replaced ?? (generation, state == .failed, remoteCandidates)
        formerGeneration = selectedIndex.map { pairs[$0].generation }
        generation = ICEGeneration(credentials)
        remoteCandidates = []
        pairs.removeAll { $0.id != kept }
        for index in pairs.indices { pairs[index].check = nil }
        (triggered, history) = ([], ICERequestHistory())
        (nominatingID, nominationDeadline, connectDeadline, startTime) = (nil, nil, nil, nil)
        isRecovering = false
        if kept == nil {
            setState(.new)
        } else if state == .completed {
            setState(.connected)
        }
    }

    /// Returns to the credentials before a restart that the other side has not agreed to.
    mutating func cancelRestart(at now: MediaTime) -> Bool {
        guard let (former, wasFailed, candidates) = replaced, generation.remote == nil else { return false }
        replaced = nil
        generation = former
        pairs.removeAll { $0.generation !== former && $0.id != selectedID }
        formerGeneration = selectedIndex.flatMap { pairs[$0].generation === former ? nil : pairs[$0].generation }
        (remoteCandidates, triggered, history) = ([], [], ICERequestHistory())
        (nominatingID, nominationDeadline, connectDeadline) = (nil, nil, nil)
        if let index = selectedIndex {
            remoteCandidates = [pairs[index].remote]
            if state == .connected, pairs[index].isNominated, isCurrent(index) { setState(.completed) }
        } else if wasFailed {
            setState(.failed)
        } else if generation.remote != nil {
            begin(at: now)
        }
        for candidate in candidates { _ = addRemoteCandidate(candidate, at: now) }
        return true
    }

    /// The other side has agreed to the current generation.
    mutating func agree() { replaced = nil }

    /// Ends the former generation, its pairs included.
    mutating func endFormerGeneration() {
        guard formerGeneration != nil else { return }
        formerGeneration = nil
        let current = generation
        pairs.removeAll { $0.generation !== current }
    }

    mutating func makePairID() -> Int {
        nextPairID += 1
        return nextPairID
    }

    // MARK: Statistics

    var statistics: [ICEPairStatistics] {
        pairs.map { pair in
            ICEPairStatistics(
                path: pair.path, local: pair.local, remote: pair.remote, priority: pair.priority, state: pair.state,
                isNominated: pair.isNominated, isSelected: pair.id == selectedID, counts: pair.counts)
        }
    }

    mutating func noteSent(byteCount: Int, on path: ICEPath, at now: MediaTime) {
        guard let index = validatedIndex(path) else { return }
        pairs[index].counts.packetsSent += 1
        pairs[index].counts.bytesSent += byteCount
        pairs[index].counts.lastPacketSentTime = now
    }

    // What signaling says (RFC 8445 §5, RFC 8838).

    mutating func addLocalCandidate(_ address: UDPAddress, socket: Int) throws(ICEError) -> ICECandidate {
        guard locals.count < ICEAgent.maximumLocalCandidateCount else {
            throw .tooManyCandidates(limit: ICEAgent.maximumLocalCandidateCount)
        }
        guard !locals.contains(where: { $0.candidate.address == address && $0.socket == socket }) else {
            throw .duplicateCandidate(address)
        }
        // RFC 8445 §5.1.1.3: one foundation for each address of a host, whatever the port.
        let foundation = locals.first { $0.candidate.address.ip == address.ip }?.candidate.foundation
        let candidate = ICECandidate(
            .host, address, foundation: foundation ?? "\(locals.count + 1)",
            localPreference: .max - UInt16(locals.count))
        locals.append(Local(candidate: candidate, socket: socket))
        for remote in remoteCandidates { pair(locals[locals.count - 1], remote) }
        return candidate
    }

    mutating func setRemote(_ credentials: ICECredentials, isLite: Bool, at now: MediaTime) throws(ICEError) {
        guard generation.remote == nil || generation.remote == credentials else { throw .changedCredentials }
        isRemoteLite = isLite
        if isLite { setRole(.controlling) }
        guard generation.remote == nil else { return }
        generation.setRemote(credentials)
        agree()
        announcedBudget.receive(ICEPathBudget.descriptionByteCount)
        begin(at: now)
    }

    mutating func addRemoteCandidate(_ candidate: ICECandidate, at now: MediaTime) -> Bool {
        guard state != .failed else { return false }
        if let fragment = candidate.usernameFragment, let remote = generation.remote,
            fragment != remote.usernameFragment
        {
            return false
        }
        if let index = remoteCandidates.firstIndex(where: { $0.address == candidate.address }) {
            return announce(candidate, discoveredAs: index)
        }
        guard makeRoom(for: candidate) else {
            counts.candidatesIgnored += 1
            return false
        }
        announcedBudget.receive(candidate.text.utf8.count)
        remoteCandidates.append(candidate)
        for local in locals { pair(local, candidate) }
        if let deadline = connectDeadline { connectDeadline = max(deadline, now + settings.connectTimeout) }
        return true
    }

    mutating func endRemoteCandidates() {
        if let startTime, connectDeadline != nil { connectDeadline = startTime + settings.connectTimeout }
    }
}
