public import RillCore

/// Many agents on one UDP port: finds the one that a datagram is for, and polls those that have something to do.
///
/// ```swift
/// let port = ICEPort(peerLimit: 1000)
/// let peer = try port.add(ICEAgent(.controlled, credentials: credentials, settings: ICESettings(seed: seed)))
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
/// A request of STUN is for the agent whose username fragment comes first in USERNAME, and a response for the one that
/// sent the request, whose transaction it names. All else is for the agent that has validated the address: a check of
/// its own was answered from there. Before that, nothing but STUN is passed on, but for the first datagrams of a
/// handshake (`early`). Neither a check from an address nor a candidate that names it takes it from an agent.
///
/// Several agents may validate one address: calls between the same two ports, or a program that comes back before its
/// former session has ended. Then only the integrity of a datagram tells whose it is: ``ICEPortResult/shared(_:)``. At
/// most ``maximumSharedCount`` share an address; the one that has taken nothing for longest makes room.
///
/// Memory: strangers leave nothing behind. A port keeps at most `peerLimit` agents, and for each one the addresses of
/// its pairs, at most ``ICESettings/maximumPairCount`` and twice that for a while. Cost: a datagram takes one or two
/// look-ups in tables; a request with a known fragment, one HMAC.
///
/// It has one owner, and no thread, clock or socket. After any call to an agent's own methods, the agent must be
/// polled: make such calls through ``change(_:_:)``.
public final class ICEPort {
    private let cell: StateCell<ICEPortCore>

    /// Creates a port without agents.
    ///
    /// - Parameter peerLimit: the most agents.
    public init(peerLimit: Int) { cell = StateCell(ICEPortCore(peerLimit: peerLimit)) }

    /// The most agents.
    public var peerLimit: Int { cell.state.peerLimit }
    /// What was counted.
    public var statistics: ICEPortStatistics { cell.state.statistics }
    /// How many agents there are.
    public var count: Int { cell.state.peers.count }
    /// How many addresses agents have validated.
    public var pathCount: Int { cell.state.owners.count }
    /// How many agents may share an address.
    public static let maximumSharedCount = 8

    // MARK: Agents

    /// Adds an agent.
    ///
    /// - Parameter agent: the agent. The port owns it from now on.
    /// - Returns: its number.
    /// - Throws: `tooManyPeers` or `usernameFragmentInUse`.
    public func add(_ agent: ICEAgent) throws(ICEError) -> ICEPeerID { try cell.state.add(agent) }

    /// Removes an agent. Its addresses and fragments are forgotten.
    ///
    /// - Parameter id: the agent's number.
    /// - Returns: the agent; `nil` for an unknown number.
    @discardableResult
    public func remove(_ id: ICEPeerID) -> ICEAgent? { cell.state.remove(id) }

    /// An agent, to read its state.
    ///
    /// - Parameter id: the agent's number.
    public subscript(id: ICEPeerID) -> ICEAgent? { cell.state.peers[id]?.agent }

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
        guard let agent = self[id] else { return nil }
        // Not during the access to the state: `body` may ask the port something.
        defer { cell.state.noteChange(of: id) }
        return try body(agent)
    }

    // MARK: Datagrams and time

    /// Takes a datagram; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: any bytes.
    ///   - path: where it came from.
    ///   - now: the current time.
    /// - Returns: what became of it.
    public func insert(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEPortResult {
        cell.state.insert(datagram, on: path, at: now)
    }

    /// Notes whose a datagram was that came as ``ICEPortResult/shared(_:)``: it had that agent's integrity.
    ///
    /// - Parameters:
    ///   - byteCount: the datagram's size.
    ///   - id: the agent's number.
    ///   - path: where the datagram came from.
    ///   - now: the current time.
    public func take(_ byteCount: Int, _ id: ICEPeerID, on path: ICEPath, at now: MediaTime) {
        cell.state.take(byteCount, id, on: path, at: now)
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit. Pass the same array each time: its memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ICEPortAction {
        cell.state.poll(at: now, into: &bytes)
    }
}
