public import RillCore

extension STUNMessage {
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
