public import RillCore

/// The state of an agent: that of W3C's `RTCIceTransportState`.
public enum ICEState: String, Hashable, Sendable {
    /// The remote credentials are not known, and no check has arrived.
    case new
    /// No path is known to work yet.
    case checking
    /// A path works, and none is nominated yet.
    case connected
    /// A path is nominated.
    case completed
    /// The path has been silent for ``ICESettings/disconnectedTimeout``. It may come back by itself.
    case disconnected
    /// No path works, or consent was lost. Only a restart helps.
    case failed
}

extension ICEState: CustomStringConvertible {
    /// The state as W3C writes it: `connected`.
    public var description: String { rawValue }
}

/// An event of an agent, in the order in which things happened.
public enum ICEEvent: Equatable, Sendable {
    /// The state changed.
    case stateChanged(from: ICEState, to: ICEState)
    /// Data goes to another path from now on. `from` is `nil` for the first one.
    case selectedPathChanged(from: ICEPath?, to: ICEPath)
    /// A check came from an address that no candidate announced (RFC 8445 §7.3.1.3).
    case peerReflexiveDiscovered(ICECandidate)
    /// Both agents had the same role, and this one gave way (RFC 8445 §7.3.1.1).
    case roleChanged(to: ICERole)
    /// So many polls did nothing about what was due: an error of Rill's, to be reported. The agent has failed.
    case internalError(pollsWithoutProgress: Int)
    /// Nothing authenticated arrived on the path for so long that nothing may be sent any more (RFC 7675 §5.1).
    case consentLost(on: ICEPath, after: MediaDuration)
    /// No pair of candidates works: how many were tried, for how long.
    case checksFailed(pairCount: Int, after: MediaDuration)
}

/// What ``ICEAgent/poll(at:into:)`` asks for.
public enum ICEAction: Equatable, Sendable {
    /// Send the datagram that was written.
    case transmit(on: ICEPath)
    /// Take note.
    case event(ICEEvent)
    /// Poll again at this time, or after the next insertion.
    case wait(until: MediaTime)
}
