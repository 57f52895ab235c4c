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
