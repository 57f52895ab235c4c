public import RillCore

/// A transport address at which an agent may be reached (RFC 8445 §5.1): always of UDP, and of component 1, which RTP
/// and RTCP share.
public struct ICECandidate: Hashable, Sendable {
    /// The same for candidates of which similar checks have similar outcomes: 1 to 32 letters, digits, `+` or `/`.
    public var foundation: String
    /// The higher, the more preferred.
    public var priority: UInt32
    /// The address.
    public var address: UDPAddress
    /// How the address was found.
    public var kind: Kind
    /// Where the candidate comes from: for a reflexive one the address behind the NAT; `nil` for a host.
    public var related: UDPAddress?
    /// The username fragment of the generation that the candidate belongs to, if its text says so.
    public var usernameFragment: String?

    /// How an address was found.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It is one of the machine's own.
        case host
        /// A STUN server saw it.
        case serverReflexive = "srflx"
        /// The other agent saw it.
        case peerReflexive = "prflx"
        /// A TURN server relays it.
        case relayed = "relay"

        /// RFC 8445 §5.1.2.2: the recommended values.
        var preference: UInt32 {
            switch self {
            case .host: 126
            case .peerReflexive: 110
            case .serverReflexive: 100
            case .relayed: 0
            }
        }
    }

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - kind: how its address was found.
    ///   - address: its address.
    ///   - foundation: its foundation.
    ///   - localPreference: how it is preferred over others of its kind.
    public init(_ kind: Kind, _ address: UDPAddress, foundation: String, localPreference: UInt16 = .max) {
        self.foundation = foundation
        self.address = address
        self.kind = kind
        priority = ICECandidate.priority(kind, localPreference: localPreference)
    }

    /// The priority of RFC 8445 §5.1.2.1, for component 1.
    ///
    /// - Parameters:
    ///   - kind: how the address was found.
    ///   - localPreference: how it is preferred over others of its kind.
    public static func priority(_ kind: Kind, localPreference: UInt16) -> UInt32 {
        kind.preference << 24 | UInt32(localPreference) << 8 | (256 - 1)
    }

    /// The local preference in a priority that this module made.
    var localPreference: UInt16 { UInt16(truncatingIfNeeded: priority >> 8) }
}

extension ICECandidate: CustomStringConvertible {
    /// The kind and the address: `host 192.0.2.1:5004`.
    public var description: String { "\(kind.rawValue) \(address)" }
}
