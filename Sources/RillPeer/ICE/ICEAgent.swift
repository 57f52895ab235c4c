public import RillCore

/// One end of ICE: finds a path to the other side, and notices when it changes or is lost (RFC 8445).
///
/// Insert datagrams, and call ``poll(at:into:)`` until it returns `wait`; poll again at that time:
///
/// ```swift
/// let agent = ICEAgent(.full(.controlling), credentials: credentials, settings: ICESettings(seed: seed))
/// try agent.addLocalCandidate(address, socket: 0)      // signal agent.localCandidates and credentials
/// try agent.setRemote(theirs, isLite: true, at: now)   // they came by signaling
/// agent.addRemoteCandidate(candidate, at: now)
/// …
/// switch agent.insert(datagram, on: ICEPath(socket: 0, source), at: now) {
/// case .data: session.insert(datagram, at: now)
/// default: break
/// }
/// work: while true {                                   // after each insertion, and at `wakeUp`
///     switch agent.poll(at: now, into: &bytes) {
///     case .transmit(on: let path): sockets[path.socket].send(bytes, to: path.remote)
///     case .event(let event): app.handle(event)
///     case .wait(until: let time): wakeUp = time; break work
///     }
/// }
/// ```
///
/// Data goes to ``selectedPath``: from the first path that works, until another is nominated. There is one component and
/// one check list: RTP, RTCP and all media sections share the path (BUNDLE, rtcp-mux).
///
/// - A *lite* agent answers checks. It learns the other side's addresses from them, and follows every nomination, also
///   later ones: so a peer may change its address.
/// - A *full* agent pairs its candidates with the remote ones, checks the pairs in the order of their priorities, paced and
///   retransmitted, and nominates if it is controlling (regular nomination). Then it sends consent checks. If the path
///   falls silent, it checks all pairs anew.
///
/// Any input bytes are safe. Nothing is kept of, or sent to, anyone who does not know the password. An answer is never
/// three times as large as the request. Memory is bounded by the settings' limits on pairs, at most about 1 KB each.
/// It has one owner, and no thread, clock or socket; `now` must not go back.
public final class ICEAgent {
    /// Times and limits.
    public let settings: ICESettings
    /// Whether this agent is a lite one.
    public let isLite: Bool
    /// The role. A conflict may change it.
    public internal(set) var role: ICERole
    /// The state.
    public internal(set) var state = ICEState.new
    /// The remote candidates: those that were announced, and those discovered in checks.
    public internal(set) var remoteCandidates: [ICECandidate] = []

    var generation: ICEGeneration
    /// The one before the last restart, until a path of the new one is nominated. Its consent checks are still answered.
    var formerGeneration: ICEGeneration? { didSet { generationChangeCount += 1 } }
    /// How often the credentials that requests may have changed.
    private(set) var generationChangeCount = 0
    var random: SeededGenerator
    var tiebreaker: UInt64
    var isRemoteLite = false

    private(set) var locals: [Local] = []
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
    /// Whether all pairs are checked anew, because the selected one is silent.
    var isRecovering = false
    var consent = ICEConsent()

    var responses: [ICEResponse] = []
    var events: [ICEEvent] = []

    struct Local {
        let candidate: ICECandidate
        let socket: Int
    }

    /// Creates an agent without candidates.
    ///
    /// - Parameters:
    ///   - mode: lite or full.
    ///   - credentials: this side's, to be signaled. Their fragment has at most 32 bytes.
    ///   - settings: times and limits.
    public init(_ mode: ICEMode, credentials: ICECredentials, settings: ICESettings) {
        self.settings = settings
        switch mode {
        case .lite: (isLite, role) = (true, .controlled)
        case .full(let role): (isLite, self.role) = (false, role)
        }
        generation = ICEGeneration(credentials)
        random = SeededGenerator(seed: settings.seed)
        tiebreaker = random.next()
    }

    /// This side's credentials.
    public var credentials: ICECredentials { generation.local }

    /// The remote side's credentials, once they are known.
    public var remoteCredentials: ICECredentials? { generation.remote }

    /// Where data goes; `nil` as long as no path is known to work, and after a failure.
    public var selectedPath: ICEPath? { selectedIndex.map { pairs[$0].path } }

    // MARK: Candidates

    /// This side's candidates, to be signaled.
    public var localCandidates: [ICECandidate] { locals.map(\.candidate) }

    /// Adds a host candidate. Add the preferred ones first.
    ///
    /// - Parameters:
    ///   - address: the address at which the socket is reached.
    ///   - socket: the driver's number of the socket. A server may announce several addresses for one socket.
    /// - Returns: the candidate, to be signaled.
    /// - Throws: `tooManyCandidates` or `duplicateCandidate`.
    @discardableResult
    public func addLocalCandidate(_ address: UDPAddress, socket: Int = 0) throws(ICEError) -> ICECandidate {
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

    /// The most local candidates of an agent.
    public static let maximumLocalCandidateCount = 16

    /// Sets the credentials of the remote side. A full agent's checks begin.
    ///
    /// - Parameters:
    ///   - credentials: the remote side's.
    ///   - isLite: whether the remote side is a lite implementation (`a=ice-lite`). Then this one is controlling.
    ///   - now: the current time.
    /// - Throws: `bothLite`, or `changedCredentials` if there are others already: call
    ///   ``restart(with:at:)`` before.
    public func setRemote(_ credentials: ICECredentials, isLite: Bool, at now: MediaTime) throws(ICEError) {
        guard !(isLite && self.isLite) else { throw .bothLite }
        guard generation.remote == nil || generation.remote == credentials else { throw .changedCredentials }
        isRemoteLite = isLite
        if isLite { setRole(.controlling) }
        guard generation.remote == nil else { return }
        generation.setRemote(credentials)
        begin(at: now)
    }

    /// Adds a candidate of the remote side, in an offer or answer or trickled (RFC 8838). A lite agent does not need any.
    ///
    /// - Parameters:
    ///   - candidate: the candidate.
    ///   - now: the current time.
    /// - Returns: whether it is used: not if it is known, belongs to another generation, or is one too many.
    @discardableResult
    public func addRemoteCandidate(_ candidate: ICECandidate, at now: MediaTime) -> Bool {
        guard !isLite, state != .failed, remoteCandidates.count < settings.maximumPairCount else { return false }
        if let fragment = candidate.usernameFragment, let remote = generation.remote,
            fragment != remote.usernameFragment
        {
            return false
        }
        if let index = remoteCandidates.firstIndex(where: { $0.address == candidate.address }) {
            return announce(candidate, discoveredAs: index)
        }
        remoteCandidates.append(candidate)
        for local in locals { pair(local, candidate) }
        if let deadline = connectDeadline { connectDeadline = max(deadline, now + settings.connectTimeout) }
        return true
    }

    /// Notes that no more candidates will come from the remote side (RFC 8840 §8.2): the checks may then fail as soon as
    /// all pairs have, after ``ICESettings/connectTimeout`` from the beginning.
    public func endRemoteCandidates() {
        if let startTime, connectDeadline != nil { connectDeadline = startTime + settings.connectTimeout }
    }

    // MARK: Statistics

    /// The statistics of all pairs.
    public var statistics: [ICEPairStatistics] {
        pairs.map { pair in
            ICEPairStatistics(
                path: pair.path, local: pair.local, remote: pair.remote, priority: pair.priority, state: pair.state,
                isNominated: pair.isNominated, isSelected: pair.id == selectedID, counts: pair.counts)
        }
    }

    /// Counts a datagram, not of STUN, that was sent.
    ///
    /// - Parameters:
    ///   - byteCount: its size.
    ///   - path: where it was sent.
    ///   - now: the current time.
    public func noteSent(byteCount: Int, on path: ICEPath, at now: MediaTime) {
        guard let index = validatedIndex(path) else { return }
        pairs[index].counts.packetsSent += 1
        pairs[index].counts.bytesSent += byteCount
        pairs[index].counts.lastPacketSentTime = now
    }

    // MARK: State

    func begin(at now: MediaTime) {
        guard state == .new else { return }
        startTime = now
        connectDeadline = now + settings.connectTimeout
        setState(.checking)
    }

    func setState(_ new: ICEState) {
        guard new != state else { return }
        events.append(.stateChanged(from: state, to: new))
        state = new
    }

    /// Begins with new credentials, and keeps the selected path and the candidates of this side.
    func replaceGeneration(_ credentials: ICECredentials) {
        formerGeneration = selectedID == nil ? nil : generation
        generation = ICEGeneration(credentials)
        remoteCandidates = []
        pairs.removeAll { $0.id != selectedID }
        triggered = []
        (nominatingID, nominationDeadline, connectDeadline, startTime) = (nil, nil, nil, nil)
        isRecovering = false
    }

    func makePairID() -> Int {
        nextPairID += 1
        return nextPairID
    }
}
