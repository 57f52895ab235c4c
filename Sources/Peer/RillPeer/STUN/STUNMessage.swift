public import RillCore

/// A view of a STUN message: its header, and where its attributes are (RFC 8489 §5).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |0 0|     message type          |         message length        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   magic cookie 0x2112A442                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   transaction ID (96 bits)                    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  attributes: type (16), length (16), value, padding to 4      |
/// ```
///
/// ```swift
/// let message = try STUNMessage(parsing: datagram)
/// guard message.type == .bindingRequest, message.hasIntegrity(of: key) else { return }
/// let priority = message.priority
/// ```
///
/// Parsing accepts arbitrary bytes and allocates nothing. It checks the form of all attributes that this module knows,
/// but neither FINGERPRINT nor the integrity: ``hasValidFingerprint``, ``hasIntegrity(of:)``. Of several attributes of
/// one type the first counts (§14). What follows MESSAGE-INTEGRITY is not authenticated and is ignored, except
/// MESSAGE-INTEGRITY-SHA256 and FINGERPRINT (§14.5).
///
/// The view cannot outlive the bytes.
public struct STUNMessage: ~Escapable {
    /// The method and class.
    public let type: STUNMessageType
    /// What pairs a response with its request.
    public let transactionID: STUNTransactionID
    /// The whole message.
    public let bytes: Span<UInt8>
    let layout: STUNAttributeLayout

    /// Parses a message, which must be the whole of `bytes`.
    ///
    /// - Parameter bytes: a datagram.
    /// - Throws: any case of ``STUNError``.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(STUNError) {
        guard bytes.count >= STUNMessage.headerByteCount else {
            throw .truncated(needed: STUNMessage.headerByteCount, available: bytes.count)
        }
        let cookie = bytes.bigEndian(UInt32.self, at: 4)
        guard bytes[0] < 0x40, cookie == STUNMessage.magicCookie else {
            throw .notSTUN(firstByte: bytes[0], cookie: cookie)
        }
        let length = Int(bytes.bigEndian(UInt16.self, at: 2))
        guard length == bytes.count - STUNMessage.headerByteCount, length % 4 == 0 else {
            throw .invalidLength(declared: length, available: bytes.count - STUNMessage.headerByteCount)
        }
        type = STUNMessageType(wire: bytes.bigEndian(UInt16.self, at: 0))
        transactionID = STUNTransactionID(
            high: bytes.bigEndian(UInt32.self, at: 8), low: bytes.bigEndian(UInt64.self, at: 12))
        self.bytes = bytes
        layout = try STUNAttributeLayout(parsing: bytes)
    }

    /// Whether a datagram is STUN, by what no other protocol on the port of a WebRTC peer has: a first byte of 0 to 3
    /// (RFC 7983 §7) and the magic cookie. It may still be malformed.
    ///
    /// - Parameter datagram: any bytes.
    public static func matches(_ datagram: Span<UInt8>) -> Bool {
        datagram.count >= headerByteCount && datagram[0] < 4
            && datagram.bigEndian(UInt32.self, at: 4) == magicCookie
    }

    /// The size of the header in bytes.
    static let headerByteCount = 20
    static let magicCookie: UInt32 = 0x2112_A442

    /// USERNAME; `nil` if there is none.
    public var username: Span<UInt8>? {
        @_lifetime(copy self)
        get { value(at: layout.username) }
    }

    /// XOR-MAPPED-ADDRESS: the address that the sender of a response saw; `nil` if there is none.
    public var mappedAddress: UDPAddress? {
        guard let value = value(at: layout.xorMappedAddress) else { return nil }
        return XORMappedAddress.parse(value, transactionID)
    }

    /// PRIORITY; `nil` if there is none.
    public var priority: UInt32? { value(at: layout.priority)?.bigEndian(UInt32.self, at: 0) }

    /// Whether there is USE-CANDIDATE.
    public var usesCandidate: Bool { layout.useCandidate != 0 }

    /// The tiebreaker of ICE-CONTROLLING; `nil` if there is none.
    public var iceControlling: UInt64? { value(at: layout.iceControlling)?.bigEndian(UInt64.self, at: 0) }

    /// The tiebreaker of ICE-CONTROLLED; `nil` if there is none.
    public var iceControlled: UInt64? { value(at: layout.iceControlled)?.bigEndian(UInt64.self, at: 0) }

    /// ERROR-CODE, without its phrase; `nil` if there is none.
    public var errorCode: STUNErrorCode? {
        guard let value = value(at: layout.errorCode) else { return nil }
        return STUNErrorCode(wire: value)
    }

    /// The types in UNKNOWN-ATTRIBUTES; empty if there is none. Allocates an array.
    public var unknownAttributes: [STUNAttributeType] {
        guard let value = value(at: layout.unknownAttributes) else { return [] }
        return (0..<value.count / 2).map { STUNAttributeType(rawValue: value.bigEndian(UInt16.self, at: 2 * $0)) }
    }

    /// How many attributes there are that are not known but must be understood (RFC 8489 §6.3.1).
    public var unknownRequiredCount: Int { layout.unknownRequiredCount }

    /// The types of the first `limit` attributes that are not known but must be understood, in their order. Allocates
    /// an array.
    ///
    /// - Parameter limit: how many are returned at most.
    public func unknownRequired(limit: Int) -> [STUNAttributeType] {
        var found: [STUNAttributeType] = []
        var offset = STUNMessage.headerByteCount
        while offset < bytes.count, found.count < limit {
            let type = STUNAttributeType(rawValue: bytes.bigEndian(UInt16.self, at: offset))
            // What follows the integrity does not count.
            if type == .messageIntegrity || type == .messageIntegritySHA256 { break }
            if type.isComprehensionRequired && !type.isKnown { found.append(type) }
            offset += 4 + (Int(bytes.bigEndian(UInt16.self, at: offset + 2)) + 3) & ~3
        }
        return found
    }

    /// The value of the attribute that begins at `offset`; `nil` for 0.
    @_lifetime(copy self)
    func value(at offset: UInt16) -> Span<UInt8>? {
        guard offset != 0 else { return nil }
        let start = Int(offset) + 4
        return bytes.extracting(start..<(start + Int(bytes.bigEndian(UInt16.self, at: start - 2))))
    }
}

extension STUNErrorCode {
    // RFC 8489 §14.8: 21 reserved bits, three of the class, eight of the number, and a phrase in UTF-8.

    /// The code in an attribute's value; `nil` if there is none.
    init?(wire value: Span<UInt8>) {
        guard value.count >= 4, value[3] < 100 else { return nil }
        self.init(rawValue: UInt16(value[2] & 7) * 100 + UInt16(value[3]))
    }
}

extension STUNMessage {
    /// The kind of integrity that counts: the stronger one, if there are both (RFC 8489 §9.1.3); `nil` if there is
    /// none.
    public var integrityAlgorithm: STUNIntegrityAlgorithm? {
        if layout.messageIntegritySHA256 != 0 { return .sha256 }
        return layout.messageIntegrity != 0 ? .sha1 : nil
    }

    /// Whether the message was made by one who has the key. Takes the same time wherever the codes differ.
    ///
    /// - Parameter key: the key of the receiver of a request, or of the sender of a response (RFC 8445 §7.1.2).
    /// - Returns: `false` also for a message without integrity.
    public func hasIntegrity(of key: STUNIntegrityKey) -> Bool {
        guard let algorithm = integrityAlgorithm else { return false }
        let offset = algorithm == .sha256 ? layout.messageIntegritySHA256 : layout.messageIntegrity
        guard let value = value(at: offset) else { return false }
        let code = key.code(algorithm, of: bytes.extracting(0..<Int(offset)))
        var difference: UInt8 = 0
        for index in value.indices { difference |= value[index] ^ code[index] }
        return difference == 0
    }
}

/// The value of FINGERPRINT (RFC 8489 §14.7): CRC-32 of all that precedes the attribute, combined with a constant.
enum STUNFingerprint {
    private static let mask: UInt32 = 0x5354_554E

    /// The fingerprint of `bytes`: a message up to the attribute, whose length field includes the attribute.
    static func value(of bytes: Span<UInt8>) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for index in bytes.indices {
            crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
        }
        return ~crc ^ mask
    }

    /// For each byte, what it adds to the checksum: the remainder by the polynomial of ISO 3309, bits reversed.
    private static let table = InlineArray<256, UInt32> { index in
        (0..<8).reduce(UInt32(index)) { remainder, _ in
            remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ 0xEDB8_8320
        }
    }
}

extension STUNMessage {
    /// Whether FINGERPRINT is there and matches the message; `nil` if there is none.
    ///
    /// ICE requires it (RFC 8445 §7.1.2), to tell STUN from media.
    public var hasValidFingerprint: Bool? {
        guard let value = value(at: layout.fingerprint) else { return nil }
        return value.bigEndian(UInt32.self, at: 0)
            == STUNFingerprint.value(of: bytes.extracting(0..<Int(layout.fingerprint)))
    }
}
