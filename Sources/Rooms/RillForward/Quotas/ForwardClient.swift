public import RillCore
public import RillPeer

/// Who asks for a session: what is counted by, and which publishers are one and the same.
///
/// A client without any of these is counted with the total only.
public struct ForwardClient: Hashable, Sendable {
    /// The subject of its token: publishers of one subject are the same one. `nil` if the token names none.
    public var subject: String?
    /// By what its sessions are counted: the same text for everybody with the same token or subject; `nil` without a
    /// token.
    public var bearer: String?
    /// The address from which it asks. Of IPv6 give the network: somebody who has one address has 2⁶⁴ of them (RFC
    /// 6177).
    public var address: IPAddress?

    /// A client.
    public init(subject: String? = nil, bearer: String? = nil, address: IPAddress? = nil) {
        (self.subject, self.bearer, self.address) = (subject, bearer, address)
    }
}

/// Whose place a publisher may take. A publisher counts once it has sent a key frame.
public enum PublishCondition: Equatable, Sendable {
    /// Anybody's.
    case always
    /// That of a publisher with the same subject.
    case sameSubject
    /// That of these sessions, and of those that followed them. A session that is over is of no use.
    case following([ICEPeerID])
}
