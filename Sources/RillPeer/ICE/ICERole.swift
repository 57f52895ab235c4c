/// Which of two agents nominates the pair of candidates to use (RFC 8445 §6.1.1).
public enum ICERole: Hashable, Sendable {
    /// It nominates. The side that offers is controlling, unless only the other is a full implementation.
    case controlling
    /// It waits for a nomination.
    case controlled

    /// The role of the other agent.
    public var opposite: ICERole { self == .controlling ? .controlled : .controlling }
}

/// How much of ICE an agent does (RFC 8445 §2.5).
public enum ICEMode: Hashable, Sendable {
    /// It answers checks and sends none, for servers at addresses that everyone reaches. It is controlled.
    case lite
    /// It sends checks from all its sockets. Towards a lite agent it is controlling, whatever its role here.
    case full(ICERole)
}
