/// a=crypto: a key with which the writer of the description protects its packets (SDES, RFC 4568).
///
/// The grammar (RFC 4568 §9.1):
///
/// ```text
/// a=crypto:<tag> <crypto-suite> <key-params> [<session-params>]
///
/// key-params     = key-param *(";" key-param)
/// key-param      = "inline:" <key||salt in base64> ["|" ["2^"] <lifetime>] ["|" <MKI> ":" <its length>]
/// session-params = KDR=… | UNENCRYPTED_SRTP | UNENCRYPTED_SRTCP | UNAUTHENTICATED_SRTP
///                | FEC_ORDER=… | FEC_KEY=… | WSH=…
/// ```
///
/// ```swift
/// let supported = video.crypto.filter { $0.suite == .aeadAES128GCM }
/// ```
///
/// The description is as secret as the key and must be encrypted in transit (for example, by TLS). The key appears
/// only in ``SessionDescription/text``. It does not appear in `description`, mirrors, `dump` or errors. RillSecurity
/// makes an `SRTPKey` of it.
public struct CryptoAttribute: Hashable, Sendable {
    /// The attribute's number in its section, 0 to 999999999. An answer uses the tag of the attribute that it chose.
    public var tag: Int
    /// The encryption and authentication of packets.
    public var suite: Suite
    /// The keys. If there are several, each has a master key identifier.
    public var keys: [Key]
    /// The session parameters, in the order of the text: `KDR=0`, `UNENCRYPTED_SRTCP`, `WSH=64`.
    public var sessionParameters: [String]

    /// The name of a suite in RFC 4568 §6.2 or RFC 7714 §14.2; any other name is allowed.
    public struct Suite: Hashable, Sendable, RawRepresentable {
        /// The name.
        public var rawValue: String
        /// The suite with that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// AES-128 in Galois/Counter mode, with a 16-byte tag.
        public static let aeadAES128GCM = Suite(rawValue: "AEAD_AES_128_GCM")
        /// AES-256 in Galois/Counter mode, with a 16-byte tag.
        public static let aeadAES256GCM = Suite(rawValue: "AEAD_AES_256_GCM")
        /// AES-128 in counter mode, with HMAC-SHA1 truncated to 10 bytes.
        public static let aesCM128Tag80 = Suite(rawValue: "AES_CM_128_HMAC_SHA1_80")
        /// AES-128 in counter mode, with HMAC-SHA1 truncated to 4 bytes for RTP and to 10 bytes for RTCP.
        public static let aesCM128Tag32 = Suite(rawValue: "AES_CM_128_HMAC_SHA1_32")
    }

    /// A master key and its salt, as in SDP.
    public struct Key: Hashable, Sendable {
        /// The key followed by the salt, in base64.
        public var keyAndSalt: String
        /// The maximum number of packets that the key may protect; `nil` if not specified.
        public var lifetime: UInt64?
        /// The identifier in the packets that are protected with this key; `nil` if packets carry none.
        public var identifier: MasterKeyIdentifier?

        /// A key from the base64 text `keyAndSalt`.
        public init(_ keyAndSalt: String, lifetime: UInt64? = nil, identifier: MasterKeyIdentifier? = nil) {
            self.keyAndSalt = keyAndSalt
            self.lifetime = lifetime
            self.identifier = identifier
        }
    }

    /// An attribute with that tag. Traps unless it is 0 to 999999999 and there is at least one key.
    public init(tag: Int, _ suite: Suite, _ keys: [Key], sessionParameters: [String] = []) {
        precondition((0...999_999_999).contains(tag), "a=crypto has a tag of up to nine digits, not \(tag)")
        precondition(!keys.isEmpty, "a=crypto has a key")
        self.tag = tag
        self.suite = suite
        self.keys = keys
        self.sessionParameters = sessionParameters
    }

    /// `1 AEAD_AES_128_GCM inline:…|2^31|1:4 WSH=64`.
    init?(_ text: Substring) {
        let words = text.words
        guard words.count >= 3, words[0].utf8.count <= 9, let tag = words[0].number(in: 0...999_999_999) else {
            return nil
        }
        var keys: [Key] = []
        for piece in words[2].pieces(at: Sign.semicolon) {
            guard let key = Key(piece) else { return nil }
            keys.append(key)
        }
        self.init(
            tag: Int(tag), Suite(rawValue: String(words[1])), keys, sessionParameters: words[3...].map { String($0) })
    }

    var text: String {
        (["\(tag)", suite.rawValue, keys.map(\.text).joined(separator: ";")] + sessionParameters).joined(separator: " ")
    }
}

extension CryptoAttribute.Key {
    private static let method = "inline:"
    private static let bar = UInt8(ascii: "|")

    init?(_ text: Substring) {
        guard text.utf8.starts(with: Self.method.utf8) else { return nil }
        let pieces = text.dropFirst(Self.method.utf8.count).pieces(at: Self.bar)
        guard pieces.count <= 3, !pieces[0].isEmpty, pieces[0].utf8.allSatisfy(isBase64) else { return nil }
        self.init(String(pieces[0]))
        var rest = pieces[1...]
        // The lifetime is optional. The identifier contains a colon, the lifetime never does.
        if let piece = rest.first, !piece.utf8.contains(Sign.colon) {
            guard let lifetime = Self.lifetime(piece) else { return nil }
            self.lifetime = lifetime
            rest = rest.dropFirst()
        }
        if let piece = rest.popFirst() {
            guard let identifier = MasterKeyIdentifier(piece) else { return nil }
            self.identifier = identifier
        }
        guard rest.isEmpty else { return nil }
    }

    /// `2^31` or `2147483648`.
    private static func lifetime(_ text: Substring) -> UInt64? {
        guard text.utf8.starts(with: "2^".utf8) else { return text.number(in: 1...UInt64.max) }
        return text.dropFirst(2).number(in: 0...63).map { 1 << $0 }
    }

    var text: String {
        let packets = lifetime.map { "|" + ($0.nonzeroBitCount == 1 ? "2^\($0.trailingZeroBitCount)" : "\($0)") }
        return Self.method + keyAndSalt + (packets ?? "") + (identifier.map { "|\($0)" } ?? "")
    }
}

private func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
    default: isDigit(byte)
    }
}

// MARK: Descriptions without the key

extension CryptoAttribute.Key: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The properties except the key.
    public var description: String {
        "inline:(hidden)" + (lifetime.map { "|\($0)" } ?? "") + (identifier.map { "|\($0)" } ?? "")
    }
    /// The properties except the key.
    public var debugDescription: String { description }
    /// A mirror of the properties except the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["lifetime": lifetime as Any, "identifier": identifier as Any])
    }
}

extension CryptoAttribute: CustomStringConvertible {
    /// `crypto:1 AEAD_AES_128_GCM inline:(hidden)|1:4`.
    public var description: String {
        (["crypto:\(tag)", suite.rawValue, keys.map(\.description).joined(separator: ";")] + sessionParameters)
            .joined(separator: " ")
    }
}

/// An MKI: identifies which of several master keys protects a packet (RFC 3711 §3.1).
///
/// Both sides agree on the value and on its size in each packet before the first packet. With it, the sender can
/// change its key between two packets, and the receiver can still decrypt late packets with the previous key.
///
/// ```swift
/// let identifier = MasterKeyIdentifier(1, byteCount: 4)  // 1:4 in SDP, 00 00 00 01 on the wire
/// ```
public struct MasterKeyIdentifier: Hashable, Sendable {
    /// The value.
    public let value: UInt64
    /// The size in a packet in bytes, most significant byte first: 1 to 128.
    public let byteCount: Int

    /// The identifier `value` in `byteCount` bytes. Traps unless that is 1 to 128 and large enough for the value.
    public init(_ value: UInt64, byteCount: Int = 4) {
        precondition(MasterKeyIdentifier.fits(value, byteCount), "key identifier \(value) in \(byteCount) bytes")
        self.value = value
        self.byteCount = byteCount
    }

    /// `1:4`: the value and its size.
    init?(_ text: Substring) {
        let (value, length) = text.cut(at: Sign.colon)
        guard let value = value.number(in: 0...UInt64.max), let length = length?.number(in: 1...128),
            MasterKeyIdentifier.fits(value, Int(length))
        else { return nil }
        self.init(value, byteCount: Int(length))
    }

    private static func fits(_ value: UInt64, _ byteCount: Int) -> Bool {
        (1...128).contains(byteCount) && (byteCount >= 8 || value >> UInt64(8 * byteCount) == 0)
    }

    /// Returns the byte at `index` of the `byteCount` bytes on the wire.
    package func byte(at index: Int) -> UInt8 {
        let place = byteCount - 1 - index
        return place < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * place)) : 0
    }
}

extension MasterKeyIdentifier: CustomStringConvertible {
    /// `1:4`, as in SDP.
    public var description: String { "\(value):\(byteCount)" }
}
