import RillBytes
import RillCore

/// Where the attributes of a message are: the offset of the first of each type, 0 for none.
///
/// A datagram has at most 65 535 bytes, so that offsets have 16 bits.
struct STUNAttributeLayout {
    var username: UInt16 = 0
    var errorCode: UInt16 = 0
    var unknownAttributes: UInt16 = 0
    var xorMappedAddress: UInt16 = 0
    var priority: UInt16 = 0
    var useCandidate: UInt16 = 0
    var iceControlled: UInt16 = 0
    var iceControlling: UInt16 = 0
    var messageIntegrity: UInt16 = 0
    var messageIntegritySHA256: UInt16 = 0
    var fingerprint: UInt16 = 0
    /// Comprehension-required attributes that are not known.
    var unknownRequiredCount = 0

    /// The longest message that is parsed, in bytes. Those of ICE have a few hundred.
    static let maximumByteCount = 0xFFFF

    init(parsing bytes: Span<UInt8>) throws(STUNError) {
        guard bytes.count <= STUNAttributeLayout.maximumByteCount else {
            throw .invalidLength(
                declared: bytes.count, available: STUNAttributeLayout.maximumByteCount)
        }
        var offset = STUNMessage.headerByteCount
        while offset < bytes.count {
            // The message has a multiple of four bytes, and so has each attribute: its four bytes of header are there.
            let type = STUNAttributeType(rawValue: bytes.bigEndian(UInt16.self, at: offset))
            let count = Int(bytes.bigEndian(UInt16.self, at: offset &+ 2))
            let end = offset &+ 4 &+ (count &+ 3) & ~3
            guard end <= bytes.count else {
                throw .attributeTruncated(type, needed: count, available: bytes.count &- offset &- 4)
            }
            guard fingerprint == 0 else { throw .attributeAfterFingerprint(type, offset: offset) }
            if isCounted(type) { try note(type, bytes, at: offset, count) }
            offset = end
        }
    }

    /// Whether an attribute here counts. The two kinds of integrity stand in one order, and what follows them is not
    /// protected (RFC 8489 §14.5, §14.6).
    private func isCounted(_ type: STUNAttributeType) -> Bool {
        if type == .fingerprint { return true }
        if messageIntegritySHA256 != 0 { return false }
        return messageIntegrity == 0 || type == .messageIntegritySHA256
    }

    private mutating func note(
        _ type: STUNAttributeType, _ bytes: Span<UInt8>, at offset: Int, _ count: Int
    ) throws(STUNError) {
        let value = bytes.extracting((offset &+ 4)..<(offset &+ 4 &+ count))
        switch type {
        // RFC 8489 §14.3: less than 509 bytes.
        case .username: try set(&username, to: offset, type, count, isValid: count < 509)
        case .errorCode: try set(&errorCode, to: offset, type, count, isValid: STUNErrorCode(wire: value) != nil)
        case .unknownAttributes: try set(&unknownAttributes, to: offset, type, count, isValid: count % 2 == 0)
        case .xorMappedAddress:
            try set(&xorMappedAddress, to: offset, type, count, isValid: XORMappedAddress.isValid(value))
        case .priority: try set(&priority, to: offset, type, count, isValid: count == 4)
        case .useCandidate: try set(&useCandidate, to: offset, type, count, isValid: count == 0)
        case .iceControlled: try set(&iceControlled, to: offset, type, count, isValid: count == 8)
        case .iceControlling: try set(&iceControlling, to: offset, type, count, isValid: count == 8)
        case .messageIntegrity: try set(&messageIntegrity, to: offset, type, count, isValid: count == 20)
        // RFC 8489 §14.6: only a usage may allow a shorter one, and ICE does not.
        case .messageIntegritySHA256: try set(&messageIntegritySHA256, to: offset, type, count, isValid: count == 32)
        case .fingerprint: try set(&fingerprint, to: offset, type, count, isValid: count == 4)
        default: if type.isComprehensionRequired && !type.isKnown { unknownRequiredCount += 1 }
        }
    }
}

/// Notes an attribute, unless it is not the first of its type.
private func set(
    _ place: inout UInt16, to offset: Int, _ type: STUNAttributeType, _ count: Int, isValid: Bool
) throws(STUNError) {
    guard place == 0 else { return }
    guard isValid else { throw .invalidAttribute(type, byteCount: count) }
    place = UInt16(offset)
}

/// The value of XOR-MAPPED-ADDRESS (RFC 8489 §14.2): an address combined with the magic cookie and the transaction ID,
/// so that NATs which rewrite every address that they see leave it alone.
///
/// ```text
/// |  0 (8)  | family (8) | port ^ cookie >> 16 (16) |
/// | address (32 or 128) ^ cookie, transaction ID    |
/// ```
enum XORMappedAddress {
    private static let v4: UInt8 = 1
    private static let v6: UInt8 = 2

    /// Whether the value has a known family and the length that belongs to it.
    static func isValid(_ value: Span<UInt8>) -> Bool {
        value.count == 8 && value[1] == v4 || value.count == 20 && value[1] == v6
    }

    /// Reads a valid value.
    static func parse(_ value: Span<UInt8>, _ id: STUNTransactionID) -> UDPAddress {
        let port = value.bigEndian(UInt16.self, at: 2) ^ UInt16(STUNMessage.magicCookie >> 16)
        guard value[1] == v6 else {
            return UDPAddress(.v4(value.bigEndian(UInt32.self, at: 4) ^ STUNMessage.magicCookie), port: port)
        }
        return UDPAddress(.v6(value.bigEndian(UInt128.self, at: 4) ^ mask(id), zone: 0), port: port)
    }

    static func byteCount(_ address: UDPAddress) -> Int {
        switch address.ip {
        case .v4: 8
        case .v6: 20
        }
    }

    @_lifetime(output: copy output)
    static func write(_ address: UDPAddress, _ id: STUNTransactionID, into output: inout OutputSpan<UInt8>) {
        output.append(0)
        let port = address.port ^ UInt16(STUNMessage.magicCookie >> 16)
        switch address.ip {
        case .v4(let bits):
            output.append(v4)
            output.append(bigEndian: port)
            output.append(bigEndian: bits ^ STUNMessage.magicCookie)
        case .v6(let bits, _):
            output.append(v6)
            output.append(bigEndian: port)
            output.append(bigEndian: bits ^ mask(id))
        }
    }

    private static func mask(_ id: STUNTransactionID) -> UInt128 {
        UInt128(STUNMessage.magicCookie) << 96 | UInt128(id.high) << 64 | UInt128(id.low)
    }
}

// Big-endian fields at an offset, for headers whose size was checked before.

extension Span where Element == UInt8 {
    /// The integer at `offset`. Traps if it is out of bounds.
    @inline(__always)
    func bigEndian<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type, at offset: Int) -> Value {
        var value: Value = 0
        for index in 0..<Value.bitWidth / 8 { value = value << 8 | Value(truncatingIfNeeded: self[offset &+ index]) }
        return value
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends the bytes of `value`, most significant first. Traps unless there is room.
    @inline(__always) @_lifetime(self: copy self)
    mutating func append<Value: FixedWidthInteger & UnsignedInteger>(bigEndian value: Value) {
        for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
    }

    /// Overwrites the two bytes at `offset`. Traps if they were not written before.
    @_lifetime(self: copy self)
    mutating func overwrite(bigEndian value: UInt16, at offset: Int) {
        var bytes = mutableSpan
        bytes[offset] = UInt8(value >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
    }
}
