/// A cipher suite of SFrame (RFC 9605 §4.5). All ends of a room use the same.
///
/// The two of AES-GCM are for media. Those in counter mode have short tags, which a forger guesses by trying: once in
/// four billion frames for ``aes128CTRTag32``. They are here for peers that use them.
public enum SFrameSuite: UInt16, CaseIterable, Codable, Hashable, Sendable {
    /// AES_128_CTR_HMAC_SHA256_80: tags of 10 bytes.
    case aes128CTRTag80 = 1
    /// AES_128_CTR_HMAC_SHA256_64: tags of 8 bytes.
    case aes128CTRTag64 = 2
    /// AES_128_CTR_HMAC_SHA256_32: tags of 4 bytes.
    case aes128CTRTag32 = 3
    /// AES_128_GCM_SHA256_128: tags of 16 bytes.
    case aes128GCM = 4
    /// AES_256_GCM_SHA512_128: tags of 16 bytes.
    case aes256GCM = 5

    /// The bytes of a tag (Nt).
    public var tagByteCount: Int {
        switch self {
        case .aes128CTRTag80: 10
        case .aes128CTRTag64: 8
        case .aes128CTRTag32: 4
        case .aes128GCM, .aes256GCM: 16
        }
    }

    /// Whether the cipher itself authenticates. Otherwise HMAC does (§4.5.1).
    var isGCM: Bool { self == .aes128GCM || self == .aes256GCM }
    /// The bytes of the cipher's key: Nk of GCM, Nka of counter mode.
    var cipherKeyByteCount: Int { self == .aes256GCM ? 32 : 16 }
    /// The bytes of the key that is derived (Nk): in counter mode with that of HMAC behind the cipher's.
    var keyByteCount: Int { isGCM ? cipherKeyByteCount : cipherKeyByteCount + KeyedHash.sha256.byteCount }
    /// The hash of the key derivation.
    var hash: KeyedHash { self == .aes256GCM ? .sha512 : .sha256 }
    /// The bytes of a nonce (Nn).
    static let nonceByteCount = 12
}
