/// Which of two agents nominates the pair of candidates to use (RFC 8445 §6.1.1).
public enum ICERole: Hashable, Sendable {
    /// It nominates. The side that offers is controlling, unless only the other is a full implementation.
    case controlling
    /// It waits for a nomination.
    case controlled

    /// The role of the other agent.
    public var opposite: ICERole { self == .controlling ? .controlled : .controlling }
}
