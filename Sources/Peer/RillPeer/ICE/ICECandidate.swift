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

/// What the text of a candidate says (RFC 8839 §5.1): a candidate, or one that is passed over.
///
/// Such texts come from SDP, `a=candidate:…`, and from a browser's trickled candidates, `candidate:…`.
public enum ICECandidateText: Equatable, Sendable {
    /// A candidate that can be used.
    case candidate(ICECandidate)
    /// It is well-formed, and of no use here.
    case ignored(Reason)

    /// Why a candidate is of no use.
    public enum Reason: Equatable, Sendable {
        /// Its address is a name of multicast DNS, which hides a browser's address. The browser's checks reveal it: the
        /// agent learns it from them.
        case mDNSName(String)
        /// Its address is another name.
        case hostName(String)
        /// Its transport is not UDP.
        case transport(String)
        /// It is for another component than 1. RTCP is multiplexed.
        case component(Int)
        /// Its type is unknown.
        case type(String)
        /// It is for a media section that gives up its own transport for that of another one.
        case section(Int)
    }

    /// Parses a candidate, with or without `a=` and `candidate:`. Extensions are skipped, except `ufrag`.
    ///
    /// - Parameter text: at most one line. The empty text, a browser's end of candidates, is not a candidate.
    /// - Throws: `truncatedCandidate` or `invalidCandidate`.
    public init(parsing text: String) throws(ICEError) {
        var rest = Substring(text)
        if rest.hasPrefix("a=") { rest.removeFirst(2) }
        if rest.hasPrefix("candidate:") { rest.removeFirst(10) }
        let fields = rest.split { $0 == " " || $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
        guard fields.count >= 8 else { throw .truncatedCandidate(fieldCount: fields.count) }
        guard (1...32).contains(fields[0].utf8.count), fields[0].utf8.allSatisfy(ICECharacters.contains) else {
            throw .invalidCandidate(.foundation, String(fields[0]))
        }
        let component: UInt16 = try number(fields[1], .component, 1...256)
        let priority: UInt32 = try number(fields[3], .priority, 1...UInt32.max)
        guard fields[6] == "typ" else { throw .invalidCandidate(.type, String(fields[6])) }

        guard fields[2].lowercased() == "udp" else {
            self = .ignored(.transport(String(fields[2])))
            return
        }
        guard component == 1 else {
            self = .ignored(.component(Int(component)))
            return
        }
        let port: UInt16 = try number(fields[5], .port, 1...UInt16.max)
        guard let ip = address(fields[4]) else {
            self = try ICECandidateText(named: fields[4])
            return
        }
        guard let kind = ICECandidate.Kind(rawValue: String(fields[7])) else {
            self = .ignored(.type(String(fields[7])))
            return
        }
        var candidate = ICECandidate(kind, UDPAddress(ip, port: port), foundation: String(fields[0]))
        candidate.priority = priority
        candidate.noteExtensions(fields[8...])
        self = .candidate(candidate)
    }

    private init(named name: Substring) throws(ICEError) {
        // A colon belongs to an IPv6 address, not to a name.
        guard !name.contains(":") else { throw .invalidCandidate(.address, String(name)) }
        let isLocal = name.lowercased().hasSuffix(".local")
        self = .ignored(isLocal ? .mDNSName(String(name)) : .hostName(String(name)))
    }
}

extension ICECandidate {
    /// The text of the candidate for SDP, without `a=`: `candidate:1 1 udp 2130706431 192.0.2.1 5004 typ host`.
    public var text: String {
        var text = "candidate:\(foundation) 1 udp \(priority) \(address.ip) \(address.port) typ \(kind.rawValue)"
        if let related { text += " raddr \(related.ip) rport \(related.port)" }
        if let usernameFragment { text += " ufrag \(usernameFragment)" }
        return text
    }

    /// Extensions are pairs of a name and a value. An incomplete pair at the end is skipped.
    fileprivate mutating func noteExtensions(_ fields: ArraySlice<Substring>) {
        var relatedIP: IPAddress?
        var relatedPort: UInt16?
        var rest = fields
        while rest.count >= 2 {
            let (name, value) = (rest.removeFirst(), rest.removeFirst())
            switch name {
            case "raddr": relatedIP = RillPeer.address(value)
            case "rport": relatedPort = UInt16(value)
            case "ufrag": usernameFragment = String(value)
            default: break
            }
        }
        // Hosts have none, whatever their text says.
        if let relatedIP, let relatedPort, kind != .host { related = UDPAddress(relatedIP, port: relatedPort) }
    }
}

/// A numeric address. The zone of another machine's interface means nothing here.
private func address(_ text: Substring) -> IPAddress? {
    guard let ip = IPAddress(text) else { return nil }
    if case .v6(let bits, _) = ip { return .v6(bits, zone: 0) }
    return ip
}

private func number<Value: FixedWidthInteger>(
    _ text: Substring, _ field: ICECandidateField, _ range: ClosedRange<Value>
) throws(ICEError) -> Value {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Value(text), range.contains(value) else {
        throw .invalidCandidate(field, String(text))
    }
    return value
}
