/// The kind of a STUN message: a method, and its class (RFC 8489 §5).
public struct STUNMessageType: Hashable, Sendable {
    /// What the message is about: 12 bits.
    public let method: UInt16
    /// Whether it asks, tells or answers.
    public let messageClass: Class

    /// The four classes of messages, as their two bits on the wire.
    public enum Class: UInt8, Hashable, Sendable {
        /// Asks for a response.
        case request = 0
        /// Asks for nothing.
        case indication = 1
        /// Answers a request that was carried out.
        case success = 2
        /// Answers a request that was refused.
        case error = 3
    }

    /// The method "binding", the only one of ICE.
    public static let binding: UInt16 = 1

    /// A binding request: a connectivity check, or a consent check.
    public static let bindingRequest = STUNMessageType(method: binding, .request)
    /// A binding indication: keeps a NAT's mapping alive.
    public static let bindingIndication = STUNMessageType(method: binding, .indication)
    /// The answer to a binding request, with the address that it came from.
    public static let bindingSuccess = STUNMessageType(method: binding, .success)
    /// The answer to a refused binding request, with an error code.
    public static let bindingError = STUNMessageType(method: binding, .error)

    /// Creates a type. `method` must be below 4096.
    public init(method: UInt16, _ messageClass: Class) {
        precondition(method < 0x1000, "STUN method \(method): it has 12 bits")
        self.method = method
        self.messageClass = messageClass
    }

    // RFC 8489 §5: the bits of the class, C1 and C0, stand between those of the method.
    //
    //    13 12 11 10  9  8  7  6  5  4  3  2  1  0
    //   +--+--+--+--+--+--+--+--+--+--+--+--+--+--+
    //   |    M11 – M7  |C1|M6 – M4 |C0|  M3 – M0   |
    //   +--+--+--+--+--+--+--+--+--+--+--+--+--+--+

    /// The type in the 14 lower bits of a message's first two bytes. The upper two are ignored.
    init(wire bits: UInt16) {
        method = bits & 0x000F | bits >> 1 & 0x0070 | bits >> 2 & 0x0F80
        // Each of the four values of two bits is a class.
        messageClass =
            switch (bits & 0x0100 != 0, bits & 0x0010 != 0) {
            case (false, false): .request
            case (false, true): .indication
            case (true, false): .success
            case (true, true): .error
            }
    }

    /// The first two bytes of a message.
    var wire: UInt16 {
        let bits = UInt16(messageClass.rawValue)
        return method & 0x000F | (method & 0x0070) << 1 | (method & 0x0F80) << 2 | (bits & 1) << 4 | (bits & 2) << 7
    }
}

/// The 96 bits that pair a request with its response (RFC 8489 §5).
public struct STUNTransactionID: Hashable, Sendable {
    /// The first four bytes.
    public let high: UInt32
    /// The last eight bytes.
    public let low: UInt64

    /// Creates an identifier from its bits.
    public init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Draws an identifier.
    ///
    /// - Parameter generator: where the randomness comes from.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: UInt32(truncatingIfNeeded: generator.next()), low: generator.next())
    }
}

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

/// Why a request was refused: the code of an ERROR-CODE attribute, 300 to 699 (RFC 8489 §14.8).
public struct STUNErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code: its hundreds are the class.
    public let rawValue: UInt16

    /// Creates the code; `nil` unless it is 300 to 699.
    public init?(rawValue: UInt16) {
        guard (300...699).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// 400: the request is malformed.
    public static let badRequest = STUNErrorCode(400)
    /// 401: the credentials are missing or wrong.
    public static let unauthenticated = STUNErrorCode(401)
    /// 420: the request has comprehension-required attributes that are not known.
    public static let unknownAttribute = STUNErrorCode(420)
    /// 487: both agents believe to have the same role (RFC 8445 §7.3.1.1).
    public static let roleConflict = STUNErrorCode(487)

    /// The reason phrase to send, at most 127 bytes of ASCII.
    var reason: StaticString {
        switch self {
        case .badRequest: "Bad Request"
        case .unauthenticated: "Unauthenticated"
        case .unknownAttribute: "Unknown Attribute"
        case .roleConflict: "Role Conflict"
        default: ""
        }
    }
}

extension STUNErrorCode: CustomStringConvertible {
    /// The code and its reason: `487 Role Conflict`.
    public var description: String { "\(rawValue) \(reason)" }
}
