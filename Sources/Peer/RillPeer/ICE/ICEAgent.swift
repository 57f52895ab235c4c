public import RillCore

/// One end of ICE: finds a path to the other side, and notices when it changes or is lost (RFC 8445).
///
/// Insert datagrams, and call ``poll(at:into:)`` until it returns `wait`; poll again at that time:
///
/// ```swift
/// let agent = ICEAgent(.controlling, credentials: credentials, settings: ICESettings(seed: seed))
/// try agent.addLocalCandidate(address, socket: 0)      // signal agent.localCandidates and credentials
/// try agent.setRemote(theirs, isLite: false, at: now)  // they came by signaling
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
/// Data goes to ``selectedPath``: from the first path that works, until another is nominated. There is one component
/// and one check list: RTP, RTCP and all media sections share the path (BUNDLE, rtcp-mux).
///
/// It pairs its candidates with the remote ones, checks the pairs in the order of their priorities, paced and
/// retransmitted, and those at once from which a check came; it nominates if it is controlling (regular nomination).
/// Then it sends consent checks. If the path falls silent, it checks all pairs again.
///
/// **Strangers.** Any input bytes are safe. Nothing is kept of, or sent to, anyone who does not know the password. What
/// comes with the right integrity may still be a copy that somebody else sends from an address of their choice. So data
/// goes to a path, and is taken from there, only once a check of this side was answered from there; a nomination waits
/// for that too. Nothing but such answers, on the selected path, is consent. An address that has not answered gets at
/// most three times the bytes that came from it. To all addresses together that were only announced goes at most three
/// times what the description has: its candidates, and 500 bytes. ``counts`` says how often.
///
/// Memory is bounded by the settings' limits on pairs, at most about 1 KB each. A pair that failed makes room first,
/// then one that was only announced, then one from which checks came, at last one that has answered; never the selected
/// one. It has one owner, and no thread, clock or socket; `now` must not go back.
public final class ICEAgent {
    let cell: StateCell<ICEAgentCore>
    /// For tests: something stays due, and nothing is done about it.
    package var isStalled: Bool {
        get { cell.state.isStalled }
        set { cell.state.isStalled = newValue }
    }

    /// Creates an agent without candidates.
    ///
    /// - Parameters:
    ///   - role: the role: the side that offers is controlling. Towards a lite agent this one is, whatever its role
    ///     here.
    ///   - credentials: this side's, to be signaled. Their fragment has at most 32 bytes.
    ///   - settings: times and limits.
    public init(_ role: ICERole, credentials: ICECredentials, settings: ICESettings) {
        cell = StateCell(ICEAgentCore(role, credentials, settings))
    }

    /// Times and limits.
    public var settings: ICESettings { cell.state.settings }
    /// The role. A conflict may change it.
    public var role: ICERole { cell.state.role }
    /// The state.
    public var state: ICEState { cell.state.state }
    /// This side's credentials.
    public var credentials: ICECredentials { cell.state.generation.local }
    /// The remote side's credentials, once they are known.
    public var remoteCredentials: ICECredentials? { cell.state.generation.remote }
    /// Where data goes; `nil` as long as no path is known to work, and after a failure.
    public var selectedPath: ICEPath? { cell.state.selectedPath }

    // MARK: Candidates

    /// This side's candidates, to be signaled.
    public var localCandidates: [ICECandidate] { cell.state.locals.map(\.candidate) }

    /// The remote candidates: those that were announced, and those discovered in checks.
    public var remoteCandidates: [ICECandidate] { cell.state.remoteCandidates }

    /// The most local candidates of an agent.
    public static let maximumLocalCandidateCount = 16

    /// Adds a host candidate. Add the preferred ones first.
    ///
    /// - Parameters:
    ///   - address: the address at which the socket is reached.
    ///   - socket: the driver's number of the socket. A server may announce several addresses for one socket.
    /// - Returns: the candidate, to be signaled.
    /// - Throws: `tooManyCandidates` or `duplicateCandidate`.
    @discardableResult
    public func addLocalCandidate(_ address: UDPAddress, socket: Int = 0) throws(ICEError) -> ICECandidate {
        try cell.state.addLocalCandidate(address, socket: socket)
    }

    /// Sets the credentials of the remote side. The checks begin.
    ///
    /// - Parameters:
    ///   - credentials: the remote side's.
    ///   - isLite: whether the remote side is a lite implementation (`a=ice-lite`). Then this one is controlling.
    ///   - now: the current time.
    /// - Throws: `changedCredentials` if there are others already: call ``restart(with:)`` before.
    public func setRemote(_ credentials: ICECredentials, isLite: Bool, at now: MediaTime) throws(ICEError) {
        try cell.state.setRemote(credentials, isLite: isLite, at: now)
    }

    /// Adds a candidate of the remote side, in an offer or answer or trickled (RFC 8838).
    ///
    /// - Parameters:
    ///   - candidate: the candidate.
    ///   - now: the current time.
    /// - Returns: whether it is used: not if it is known, belongs to another generation, or is one too many.
    @discardableResult
    public func addRemoteCandidate(_ candidate: ICECandidate, at now: MediaTime) -> Bool {
        cell.state.addRemoteCandidate(candidate, at: now)
    }

    /// Notes that no more candidates will come from the remote side (RFC 8840 §8.2): the checks may then fail as soon
    /// as all pairs have, after ``ICESettings/connectTimeout`` from the beginning.
    public func endRemoteCandidates() { cell.state.endRemoteCandidates() }

    /// Restarts ICE with new credentials (RFC 8445 §9): to find another path after a failure or a change of the
    /// network, or because the other side restarted. Signal the new credentials and the candidates.
    ///
    /// Data keeps going to the selected path until a new one is nominated, and that path's consent checks go on with
    /// the old credentials. Remote credentials and candidates are forgotten: call ``setRemote(_:isLite:at:)`` with new
    /// ones.
    ///
    /// - Parameter credentials: new ones, with another username fragment.
    public func restart(with credentials: ICECredentials) { cell.state.restart(with: credentials) }

    /// Returns to the credentials and candidates before ``restart(with:)``, if no remote credentials were set since:
    /// the offer that restarted was taken back.
    ///
    /// - Returns: whether it did.
    package func cancelRestart(at now: MediaTime) -> Bool { cell.state.cancelRestart(at: now) }

    // MARK: Datagrams and time

    /// Takes a datagram; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: any bytes.
    ///   - path: where it came from. Its socket belongs to a local candidate.
    ///   - now: the current time.
    /// - Returns: what became of it. Pass it on if that is `data`.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        cell.state.insert(datagram, on: path, at: now)
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit. Pass the same array each time: its memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ICEAction {
        cell.state.poll(at: now, into: &bytes)
    }

    /// When to poll, if nothing is inserted before.
    public var wakeTime: MediaTime { cell.state.wakeTime }

    // MARK: Before an answer

    /// The address from which an authentic check came last, while none has answered yet: where the first message of a
    /// handshake may go, if ``spend(_:on:)`` has room for it.
    package var heardPath: ICEPath? { cell.state.heardPath }

    /// Takes a datagram's bytes from what may be sent to an address.
    ///
    /// - Returns: whether it may be sent: not if it were more than three times what came from there.
    package func spend(_ byteCount: Int, on path: ICEPath) -> Bool { cell.state.spend(byteCount, on: path) }

    // MARK: Statistics

    /// What was counted of the whole agent.
    public var counts: ICEAgentCounts { cell.state.counts }

    /// The statistics of all pairs.
    public var statistics: [ICEPairStatistics] { cell.state.statistics }

    /// Counts a datagram, not of STUN, that was sent.
    ///
    /// - Parameters:
    ///   - byteCount: its size.
    ///   - path: where it was sent.
    ///   - now: the current time.
    public func noteSent(byteCount: Int, on path: ICEPath, at now: MediaTime) {
        cell.state.noteSent(byteCount: byteCount, on: path, at: now)
    }
}
