public import RillRTP

/// A master key and its salt: what packets of one direction are protected with.
///
///     let key = SRTPKey.generate()                       // 44 random bytes: AES-256-GCM
///     let text = key.base64                              // to be written where only the other side reads it
///     let same = try SRTPKey(base64: text)
///     let theirs = try SRTPKey(video.crypto[0])          // of an SDP (RFC 4568)
///
/// **A key is for one call.** Two packets that are protected with the same key under the same SSRC and number let a listener
/// read both, and with GCM forge others: whoever begins anew begins with a new key. Where one key serves both directions, no
/// source of one side may have an SSRC of the other's: ``SRTPUnprotector/refuse(_:)``.
///
/// Nothing shows it: not `description`, `debugDescription`, a mirror, `dump` or an error. Only ``base64`` and
/// ``withKeyAndSalt(_:)`` give it out, and say so by their names. Its memory is overwritten when the last copy is gone (what
/// was made of it, as the text, is not).
///
/// Sources: RFC 3711 §3.2.1 and §9.1, RFC 7714 §12, RFC 4568.
public struct SRTPKey: Sendable {
    /// What the key is for.
    public let profile: SRTPProfile
    /// Which key it is, where packets say so: what makes re-keying without a gap possible.
    public var identifier: MasterKeyIdentifier?
    let secret: SecretBytes

    /// The key in these bytes, the salt behind it.
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

    /// The key in a text of base64, padding or not, blanks around it.
    ///
    /// - Parameter profile: what it is for; by default its length says it: 28 bytes AES-128-GCM, 44 bytes AES-256-GCM, 30 bytes
    ///   AES-128 in counter mode with the tag of 80 bits.
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

    /// A new key from the system's generator of random numbers. There is no other: a key from a seed would be no secret.
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

    /// **The key itself**, salt behind it, as text. For the file or the channel that only the other side reads.
    public var base64: String { secret.withBytes { Base64.text($0) } }

    /// Calls `body` with **the key itself**, salt behind it.
    public func withKeyAndSalt<Value: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try secret.withBytes(body)
    }
}

extension SRTPKey: Equatable {
    /// Whether both are the same key for the same use; how long it takes does not tell where they differ.
    public static func == (one: SRTPKey, other: SRTPKey) -> Bool {
        one.profile == other.profile && one.identifier == other.identifier && one.secret.isEqual(to: other.secret)
    }
}

extension SRTPKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// All but the key: `AEAD_AES_256_GCM key 1:4 (hidden)`.
    public var description: String {
        "\(profile.suite.rawValue) key\(identifier.map { " \($0)" } ?? "") (hidden)"
    }
    /// The same.
    public var debugDescription: String { description }
    /// Nothing of the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["profile": profile, "identifier": identifier as Any])
    }
}
