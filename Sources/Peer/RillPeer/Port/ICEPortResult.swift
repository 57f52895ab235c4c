public import RillCore

/// What became of a datagram at a port.
public enum ICEPortResult: Equatable, Sendable {
    /// It was for that agent, which took it. Pass it on to the peer if that is `data`.
    case peer(ICEPeerID, ICEInsertResult)
    /// It is data from an address that several agents have validated: that one is likely which took data last, the
    /// first. Whose it is, only its integrity tells: tell the port with ``ICEPort/take(_:_:on:at:)``.
    case shared([ICEPeerID])
    /// It was for none.
    case dropped(ICEUnknownPeerReason)
}

/// Why a datagram is for none of the agents of a port.
public enum ICEUnknownPeerReason: Hashable, Sendable {
    /// It is not STUN, and its address has not answered a check.
    case unvalidatedAddress
    /// It looks like STUN, but is malformed.
    case malformed(STUNError)
    /// A request without USERNAME.
    case noUsername
    /// A request with the fragment of none.
    case unknownUsername
    /// A response, or an indication, from an address to which no agent sent a request.
    case unexpected
}

/// What a port counts.
public struct ICEPortStatistics: Equatable, Sendable {
    /// Datagrams that were inserted.
    public var datagramsReceived = 0
    /// Of these: data that was passed on.
    public var dataReceived = 0
    /// Of these: STUN that an agent took, be it to drop it.
    public var messagesReceived = 0
    /// Of these: dropped by an agent, mostly because of the wrong integrity.
    public var messagesDropped = 0
    /// Of these: not STUN, from addresses that have sent a check, and not answered ours yet.
    public var earlyReceived = 0
    /// Of these: not STUN, from addresses that several agents have validated.
    public var sharedReceived = 0
    /// Of these: not STUN, from addresses that have not answered a check.
    public var unvalidatedDropped = 0
    /// Of these: malformed STUN.
    public var malformedDropped = 0
    /// Of these: STUN that is for no agent.
    public var unknownPeersDropped = 0
    /// What all agents counted, with those that were removed.
    public var agents = ICEAgentCounts()
}

/// What ``ICEPort/poll(at:into:)`` asks for.
public enum ICEPortAction: Equatable, Sendable {
    /// Send the datagram that was written.
    case transmit(on: ICEPath)
    /// Take note of an agent's event.
    case event(ICEPeerID, ICEEvent)
    /// Poll again at this time, or after the next insertion or change.
    case wait(until: MediaTime)
}

/// The number of an agent on an ``ICEPort``. It is never used again.
public struct ICEPeerID: Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Its hash for a table with a seed. A port counts its numbers up, and no peer chooses one: they need no hash that
    /// resists collisions, which takes 200 instructions more for each look-up.
    public func _rawHashValue(seed: Int) -> Int {
        let mixed = UInt(bitPattern: rawValue ^ seed) &* 0x9E37_79B9_7F4A_7C15
        return Int(bitPattern: mixed ^ mixed >> 32)
    }
}

extension ICEPeerID: CustomStringConvertible {
    /// The number.
    public var description: String { "peer \(rawValue)" }
}
