public import RillRTP

/// A master key and its salt, which protect the packets of one direction.
///
/// ```swift
/// let key = SRTPKey.generate()                       // 44 random bytes: AES-256-GCM
/// let text = key.base64                              // store it where only the other side can read it
/// let same = try SRTPKey(base64: text)
/// let theirs = try SRTPKey(video.crypto[0])          // from an SDP (RFC 4568)
/// ```
///
/// **Use a key for one call only.** If two packets are protected with the same key, SSRC and packet number, an
/// eavesdropper can read both, and with GCM forge others. A sender that restarts must use a new key. If one key
/// serves both directions, the two sides must not have sources with the same SSRC; see
/// ``SRTPUnprotector/refuse(_:)``.
///
/// The key does not appear in `description`, `debugDescription`, mirrors, `dump` or errors. Only ``base64`` and
/// ``withKeyAndSalt(_:)`` reveal it. Its memory is overwritten when the last copy is released; values derived from
/// it, such as the base64 text, are not.
///
/// See RFC 3711 §3.2.1 and §9.1, RFC 7714 §12, RFC 4568.
public struct SRTPKey: Sendable {
    /// The profile that the key is for.
    public let profile: SRTPProfile
    /// The identifier of the key, if packets carry one. It allows changing keys without a gap.
    public var identifier: MasterKeyIdentifier?
    let secret: SecretBytes

    /// A key from these bytes, the key followed by the salt.
    ///
    /// - Throws: `invalidKeyLength`.
    public init(
        _ keyAndSalt: Span<UInt8>, _ profile: SRTPProfile, identifier: MasterKeyIdentifier? = nil
    ) throws(SecurityError) {
        guard keyAndSalt.count == profile.keyAndSaltByteCount else {
            throw .invalidKeyLength(byteCount: keyAndSalt.count, expected: profile.keyAndSaltByteCount)
        }
        self.profile = profile
        self.identifier = identifier
        secret = SecretBytes(count: keyAndSalt.count) { output in
            for index in keyAndSalt.indices { output.append(keyAndSalt[index]) }
        }
    }

    /// A key from base64 text, with or without padding. Surrounding whitespace is ignored.
    ///
    /// - Parameters:
    ///   - text: the key followed by the salt, in base64.
    ///   - profile: the profile that the key is for. By default it follows from the length: 28 bytes are AES-128-GCM,
    ///     44 bytes AES-256-GCM, 30 bytes AES-128 in counter mode with an 80-bit tag.
    ///   - identifier: the identifier of the key in packets; `nil` (the default) for none.
    /// - Throws: `invalidBase64` or `invalidKeyLength`.
    public init(
        base64 text: String, _ profile: SRTPProfile? = nil, identifier: MasterKeyIdentifier? = nil
    ) throws(SecurityError) {
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let bytes = text.utf8.drop(while: isBlank)
        let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
        try self.init(Array(bytes[..<end]).span, profile, identifier)
    }

    private init(
        _ text: Span<UInt8>, _ wanted: SRTPProfile?, _ identifier: MasterKeyIdentifier?
    ) throws(SecurityError) {
        guard let byteCount = Base64.byteCount(of: text) else { throw .invalidBase64 }
        let profile = wanted ?? SRTPProfile.allCases.first { $0.keyAndSaltByteCount == byteCount }
        guard let profile, profile.keyAndSaltByteCount == byteCount else {
            throw .invalidKeyLength(byteCount: byteCount, expected: wanted?.keyAndSaltByteCount)
        }
        self.profile = profile
        self.identifier = identifier
        secret = SecretBytes(count: byteCount) { Base64.decode(text, into: &$0) }
    }

    /// Returns a new key from the system's random number generator. Other generators are not supported: a key from a
    /// seed would not be secret.
    public static func generate(
        _ profile: SRTPProfile = .aeadAES256GCM, identifier: MasterKeyIdentifier? = nil
    ) -> SRTPKey {
        var generator = SystemRandomNumberGenerator()
        return SRTPKey(
            profile, identifier,
            SecretBytes(count: profile.keyAndSaltByteCount) { output in
                while output.freeCapacity > 0 { output.append(UInt8.random(in: .min ... .max, using: &generator)) }
            })
    }

    private init(_ profile: SRTPProfile, _ identifier: MasterKeyIdentifier?, _ secret: SecretBytes) {
        self.profile = profile
        self.identifier = identifier
        self.secret = secret
    }

    /// **The key itself**, followed by the salt, as text. For a file or channel that only the other side can read.
    public var base64: String { secret.withBytes { Base64.text($0) } }

    /// Calls `body` with **the key itself**, followed by the salt.
    public func withKeyAndSalt<Value: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try secret.withBytes(body)
    }
}

extension SRTPKey: Equatable {
    /// Returns whether both keys, profiles and identifiers are equal. The comparison of the key takes constant time.
    public static func == (one: SRTPKey, other: SRTPKey) -> Bool {
        one.profile == other.profile && one.identifier == other.identifier && one.secret.isEqual(to: other.secret)
    }
}

extension SRTPKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The properties except the key: `AEAD_AES_256_GCM key 1:4 (hidden)`.
    public var description: String {
        "\(profile.suite.rawValue) key\(identifier.map { " \($0)" } ?? "") (hidden)"
    }
    /// The properties except the key.
    public var debugDescription: String { description }
    /// A mirror of the properties except the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["profile": profile, "identifier": identifier as Any])
    }
}

// RFC 4568: keys in session descriptions.

extension SRTPKey {
    /// The key in an `a=crypto` attribute, with which the attribute's writer protects its packets.
    ///
    /// ```swift
    /// guard let crypto = video.crypto.first(where: SRTPKey.isAcceptable) else { return }
    /// let theirs = try SRTPKey(crypto)
    /// ```
    ///
    /// - Throws: `unsupportedSuite`; `refusedParameter` for parameters that would omit encryption or authentication,
    ///   or that are unknown (RFC 4568 §6.3.8 requires refusing those); `severalKeys`, `invalidBase64`,
    ///   `invalidKeyLength`.
    public init(_ attribute: CryptoAttribute) throws(SecurityError) {
        guard let key = attribute.keys.first, attribute.keys.count == 1 else {
            throw .severalKeys(attribute.keys.count)
        }
        guard let profile = SRTPProfile(attribute.suite) else { throw .unsupportedSuite(attribute.suite) }
        if let parameter = attribute.sessionParameters.first(where: { !SRTPKey.isHarmless($0) }) {
            throw .refusedParameter(parameter)
        }
        try self.init(base64: key.keyAndSalt, profile, identifier: key.identifier)
    }

    /// Returns whether the attribute has a usable key. Why it has none is an error of ``init(_:)``.
    public static func isAcceptable(_ attribute: CryptoAttribute) -> Bool {
        (try? SRTPKey(attribute)) != nil
    }

    /// Returns the `a=crypto` attribute that transmits this key to the other side.
    ///
    /// - Parameter tag: in an offer, the attribute's number among the offered ones, from 1; in an answer, the tag of
    ///   the chosen offer.
    public func cryptoAttribute(tag: Int) -> CryptoAttribute {
        CryptoAttribute(tag: tag, profile.suite, [CryptoAttribute.Key(base64, identifier: identifier)])
    }

    /// Whether a parameter has no effect here: a window size, keys derived only once, FEC protected like other
    /// packets, or a parameter whose name marks it as optional (RFC 4568 §6.3).
    private static func isHarmless(_ parameter: String) -> Bool {
        ["-", "WSH="].contains { parameter.hasPrefix($0) } || ["KDR=0", "FEC_ORDER=FEC_SRTP"].contains(parameter)
    }
}
