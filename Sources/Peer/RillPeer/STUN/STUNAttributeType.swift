/// The type of an attribute in a STUN message (RFC 8489 §14, §18.3; RFC 8445 §16.1).
public struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Creates the type with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// MAPPED-ADDRESS. Only servers of RFC 3489 need it; it is never read.
    public static let mappedAddress = STUNAttributeType(rawValue: 0x0001)
    /// USERNAME: in ICE the two username fragments, first the receiver's.
    public static let username = STUNAttributeType(rawValue: 0x0006)
    /// MESSAGE-INTEGRITY: HMAC-SHA1 of all that precedes it.
    public static let messageIntegrity = STUNAttributeType(rawValue: 0x0008)
    /// ERROR-CODE.
    public static let errorCode = STUNAttributeType(rawValue: 0x0009)
    /// UNKNOWN-ATTRIBUTES: those that an error of code 420 is about.
    public static let unknownAttributes = STUNAttributeType(rawValue: 0x000A)
    /// REALM, of long-term credentials. ICE has none, and ignores it.
    public static let realm = STUNAttributeType(rawValue: 0x0014)
    /// NONCE, of long-term credentials. ICE has none, and ignores it.
    public static let nonce = STUNAttributeType(rawValue: 0x0015)
    /// MESSAGE-INTEGRITY-SHA256: HMAC-SHA256 of all that precedes it.
    public static let messageIntegritySHA256 = STUNAttributeType(rawValue: 0x001C)
    /// XOR-MAPPED-ADDRESS: the source address that a server saw.
    public static let xorMappedAddress = STUNAttributeType(rawValue: 0x0020)
    /// PRIORITY: that of the candidate which the receiver may discover.
    public static let priority = STUNAttributeType(rawValue: 0x0024)
    /// USE-CANDIDATE: the controlling agent nominates the pair.
    public static let useCandidate = STUNAttributeType(rawValue: 0x0025)
    /// SOFTWARE. Never read.
    public static let software = STUNAttributeType(rawValue: 0x8022)
    /// FINGERPRINT: a checksum that distinguishes STUN from other protocols.
    public static let fingerprint = STUNAttributeType(rawValue: 0x8028)
    /// ICE-CONTROLLED: the sender believes to be controlled; its tiebreaker.
    public static let iceControlled = STUNAttributeType(rawValue: 0x8029)
    /// ICE-CONTROLLING: the sender believes to be controlling; its tiebreaker.
    public static let iceControlling = STUNAttributeType(rawValue: 0x802A)

    /// Whether a receiver that does not know the attribute must refuse the message.
    public var isComprehensionRequired: Bool { rawValue < 0x8000 }

    /// Whether this module knows the attribute, be it to ignore it.
    var isKnown: Bool {
        switch self {
        case .mappedAddress, .username, .messageIntegrity, .errorCode, .unknownAttributes, .realm, .nonce,
            .messageIntegritySHA256, .xorMappedAddress, .priority, .useCandidate, .software, .fingerprint,
            .iceControlled, .iceControlling:
            true
        default: false
        }
    }
}

extension STUNAttributeType: CustomStringConvertible {
    /// The number in hexadecimal: `0x0006`.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
