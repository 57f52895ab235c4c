public import RillCore

/// The sender of a request, as far as it is known. Quotas count sessions by it, and publishers are distinguished by
/// it.
public struct StreamClient: Equatable, Sendable {
    /// The subject of its token: publishers of one subject are the same one. `nil` if the token names none.
    public var subject: String?
    /// The key by which its sessions are counted: the same text for the same token or subject; `nil` without a token.
    public var bearer: String?
    /// Its address, of IPv6 its network of 64 bits; `nil` if it is not known.
    public let address: IPAddress?

    /// A client.
    public init(subject: String? = nil, bearer: String? = nil, address: IPAddress? = nil) {
        (self.subject, self.bearer, self.address) = (subject, bearer, address?.network)
    }
}

extension IPAddress {
    /// The unit that counts as one client. It is an address of IPv4, also where IPv6 maps it (RFC 4291 §2.5.5.2). Of
    /// IPv6 it is the network of 64 bits, in which a customer has every address (RFC 6177).
    var network: IPAddress {
        guard case .v6(let bits, _) = self else { return self }
        if (bits >> 32) == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: bits)) }
        return .v6((bits >> 64) << 64, zone: 0)
    }
}

/// The publisher that another one may replace. A publisher counts once it sends frames.
public enum StreamReplacement: Equatable, Sendable {
    /// Any publisher.
    case anybody
    /// That of a publisher with the same subject.
    case sameSubject
    /// That of these sessions, and of those that followed them. Those that are over are of no use.
    case following([String])
}
