/// The hash of a certificate, by which signaling names the certificate of a peer (RFC 8122 §5).
///
/// ```swift
/// let theirs = try DTLSFingerprint(parsing: "sha-256 4A:AD:B9:…")  // of a=fingerprint
/// let ours = certificate.fingerprint.description                   // for a=fingerprint
/// ```
///
/// Comparing two takes a time that does not depend on their bytes.
public struct DTLSFingerprint: Hashable, Sendable {
    /// The hash function.
    public let algorithm: DTLSHashAlgorithm
    /// The hash.
    public let bytes: [UInt8]

    /// Creates a fingerprint.
    ///
    /// - Parameters:
    ///   - algorithm: the hash function.
    ///   - bytes: the hash, as many bytes as the function has.
    /// - Throws: `invalidFingerprintLength`.
    public init(_ algorithm: DTLSHashAlgorithm, _ bytes: [UInt8]) throws(DTLSError) {
        guard bytes.count == algorithm.byteCount else {
            throw .invalidFingerprintLength(algorithm, byteCount: bytes.count)
        }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Creates a fingerprint from the value of `a=fingerprint`: the name of the function in any case, a space, and
    /// pairs of hexadecimal digits with colons between them.
    ///
    /// - Parameter text: the value.
    /// - Throws: `unknownHashAlgorithm`, `invalidFingerprint` or `invalidFingerprintLength`.
    public init(parsing text: String) throws(DTLSError) {
        let fields = text.split(separator: " ")
        guard fields.count == 2 else { throw .invalidFingerprint(text) }
        guard let algorithm = DTLSHashAlgorithm(rawValue: fields[0].lowercased()) else {
            throw .unknownHashAlgorithm(String(fields[0]))
        }
        var bytes: [UInt8] = []
        for pair in fields[1].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
            let digits = pair.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard pair.count == 2, digits.count == 2 else { throw .invalidFingerprint(text) }
            bytes.append(UInt8(digits[0] << 4 | digits[1]))
        }
        try self.init(algorithm, bytes)
    }

    /// Returns whether both are the same. The time depends on the lengths only.
    public static func == (one: DTLSFingerprint, other: DTLSFingerprint) -> Bool {
        guard one.algorithm == other.algorithm else { return false }
        // The lengths are those of the algorithm.
        var difference: UInt8 = 0
        for index in one.bytes.indices { difference |= one.bytes[index] ^ other.bytes[index] }
        return difference == 0
    }
}

extension DTLSFingerprint: CustomStringConvertible {
    /// The value of `a=fingerprint`: `sha-256 4A:AD:B9:…`.
    public var description: String {
        let digits = Array("0123456789ABCDEF")
        let pairs = bytes.map { String([digits[Int($0 >> 4)], digits[Int($0 & 15)]]) }
        return "\(algorithm.rawValue) \(pairs.joined(separator: ":"))"
    }
}

/// The hash functions of fingerprints, from the weakest to the strongest (RFC 8122 §5; RFC 8122 forbids MD2 and MD5).
public enum DTLSHashAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// SHA-1. Only to read what old peers write.
    case sha1 = "sha-1"
    /// SHA-256. Every peer has it, and ours are of it.
    case sha256 = "sha-256"
    /// SHA-384.
    case sha384 = "sha-384"
    /// SHA-512.
    case sha512 = "sha-512"

    /// The size of the hash in bytes.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

extension [DTLSFingerprint] {
    /// The fingerprints that count: those of the strongest function among them (RFC 8122 §5). A weaker one beside it
    /// must not help an attacker who can break that.
    var strongest: [DTLSFingerprint] {
        let strength = map(\.algorithm.byteCount).max()
        return filter { $0.algorithm.byteCount == strength }
    }
}
