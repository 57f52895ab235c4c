public import RillRTP

/// The encryption and authentication of packets. Every profile has both.
///
/// | profile | key + salt | added to RTP | added to RTCP | source |
/// |---|---|---|---|---|
/// | `aeadAES128GCM` | 16 + 12 bytes | 16 bytes | 20 bytes | RFC 7714 |
/// | `aeadAES256GCM` | 32 + 12 bytes | 16 bytes | 20 bytes | RFC 7714 |
/// | `aesCM128Tag80` | 16 + 14 bytes | 10 bytes | 14 bytes | RFC 3711 |
/// | `aesCM128Tag32` | 16 + 14 bytes | 4 bytes | 14 bytes | RFC 3711, RFC 4568 §6.2.2 |
///
/// A key with a ``/RillRTP/MasterKeyIdentifier`` adds the identifier's bytes. GCM is seven times cheaper here
/// (libsrtp on NSS). Use the 32-bit tag only for peers that offer nothing else: one in 2^32 forged packets passes.
public enum SRTPProfile: Sendable, Hashable, CaseIterable {
    /// AES-128 in Galois/Counter mode.
    case aeadAES128GCM
    /// AES-256 in Galois/Counter mode.
    case aeadAES256GCM
    /// AES-128 in counter mode, with HMAC-SHA1 truncated to 80 bits.
    case aesCM128Tag80
    /// AES-128 in counter mode, with HMAC-SHA1 truncated to 32 bits for RTP and to 80 bits for RTCP.
    case aesCM128Tag32

    /// The size of the master key in bytes.
    public var keyByteCount: Int { self == .aeadAES256GCM ? 32 : 16 }

    /// The size of the master salt in bytes.
    public var saltByteCount: Int { isAEAD ? 12 : 14 }

    /// The size of the key and the salt in bytes.
    public var keyAndSaltByteCount: Int { keyByteCount + saltByteCount }

    /// The name of the profile in SDP (RFC 4568, RFC 7714).
    public var suite: CryptoAttribute.Suite {
        switch self {
        case .aeadAES128GCM: .aeadAES128GCM
        case .aeadAES256GCM: .aeadAES256GCM
        case .aesCM128Tag80: .aesCM128Tag80
        case .aesCM128Tag32: .aesCM128Tag32
        }
    }

    /// The profile with that name in SDP; `nil` for suites that Rill does not support.
    public init?(_ suite: CryptoAttribute.Suite) {
        guard let profile = SRTPProfile.allCases.first(where: { $0.suite == suite }) else { return nil }
        self = profile
    }

    /// The number of the profile in DTLS (RFC 5764 §4.1.2, RFC 7714 §14.2).
    public var dtlsNumber: UInt16 {
        switch self {
        case .aesCM128Tag80: 0x0001
        case .aesCM128Tag32: 0x0002
        case .aeadAES128GCM: 0x0007
        case .aeadAES256GCM: 0x0008
        }
    }

    /// Whether the profile is an AEAD, which combines encryption and authentication.
    var isAEAD: Bool { self == .aeadAES128GCM || self == .aeadAES256GCM }
}
