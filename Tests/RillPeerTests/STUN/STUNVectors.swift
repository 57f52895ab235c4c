import RillPeer

/// The messages of RFC 5769 §2, which all have the same transaction identifier.
enum STUNVectors {
    static var key: STUNIntegrityKey { STUNIntegrityKey(password: Array("VOkJxbRl1RmTxUk/WvJxBt".utf8)) }
    static let id = STUNTransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae)

    /// §2.1. Its padding is spaces.
    static let request = bytes(
        """
        00010058 2112a442 b7e7a701bc34d686fa87dfae 80220010 5354554e207465737420636c69656e74
        00240004 6e0001ff 80290008 932ff9b151263b36 00060009 6576746a3a68367659 202020
        00080014 9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2 80280004 e57a3bcf
        """)
    /// §2.2.
    static let responseV4 = bytes(
        """
        0101003c 2112a442 b7e7a701bc34d686fa87dfae 8022000b 7465737420766563746f72 20
        00200008 0001a147e112a643 00080014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7 80280004 c07d4c96
        """)
    /// §2.3.
    static let responseV6 = bytes(
        """
        01010048 2112a442 b7e7a701bc34d686fa87dfae 8022000b 7465737420766563746f72 20
        00200014 0002a147 0113a9faa5d3f179bc25f4b5bed2b9d9
        00080014 a382954e4be67bf11784c97c8292c275bfe3ed41 80280004 c8fb0b4c
        """)

    /// The bytes of hexadecimal digits; spaces are skipped.
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
