import RillCore

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
