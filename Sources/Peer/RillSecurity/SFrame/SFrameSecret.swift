import RillCore

/// The keys of a room whose members share a secret: each member's browser, program or person knows it, the server does
/// not.
///
/// ```swift
/// let secret = try SFrameSecret("correct horse battery staple", room: "monday")
/// ```
///
/// The secret is stretched by PBKDF2-HMAC-SHA256 with 600,000 rounds, salted with the room's name; from the result each
/// KID's key follows by HKDF-SHA256. The same secret and name give the same keys everywhere, at any time.
///
/// **What somebody types is weak.** A server that records a frame tries secrets against it. A graphics card tries
/// thousands a second: a word of a dictionary lasts minutes, six letters a day. Four words drawn by dice last, and so
/// does ``generate(using:)``. A member who once had the secret can read everything that is, or was, encrypted with it:
/// when a member must no longer read, the others need another secret.
///
/// Cost: the initializer takes a quarter of a second, on a thread that may wait so long: none of media. A key takes
/// about 10 µs.
public struct SFrameSecret: SFrameKeys {
    private let extracted: SecretBytes

    /// The rounds of PBKDF2: what OWASP asks for with SHA-256 (2023).
    static let rounds: Int32 = 600_000
    /// The names under which keys are derived, with the version of the layout of frames.
    private static let saltLabel = "Rill SFrame 1 room "
    private static let keyLabel = "Rill SFrame 1 key "

    /// The keys of a room.
    ///
    /// - Parameters:
    ///   - secret: at least one character. Its UTF-8 counts. Letters with accents can have several forms: an app whose
    ///     members type them normalizes to NFC before, as pages and `rill join` do.
    ///   - room: the room's name, which all members use.
    /// - Throws: `secretTooShort` for an empty one; `openSSLFailed`.
    public init(_ secret: String, room: String) throws(SecurityError) {
        guard !secret.isEmpty else { throw .secretTooShort(byteCount: 0, minimum: 1) }
        let stretched = Array(secret.utf8).span
        guard
            let master = KeyedHash.stretch(
                stretched, salt: Array((SFrameSecret.saltLabel + room).utf8), rounds: SFrameSecret.rounds, byteCount: 32
            ),
            let extracted = KeyedHash.sha256.extract(master)
        else { throw .openSSLFailed }
        self.extracted = extracted
    }

    /// A secret for a link: 22 characters of base64url, 132 bits.
    ///
    /// - Parameter generator: draws the bits; the system's.
    public static func generate(using generator: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var text = ""
        // Six bits each, the upper ones of a number.
        for _ in 0..<22 { text.append(alphabet[Int(generator.next() >> 58)]) }
        return text
    }

    /// The key of that KID: every KID has one.
    public func key(for id: SFrameKeyID) -> SFrameKey? {
        var info = Array(SFrameSecret.keyLabel.utf8)
        info.append(bigEndian: id.rawValue)
        return KeyedHash.sha256.expand(extracted, info, byteCount: 32).map(SFrameKey.init)
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: UInt64) {
        for place in (0..<8).reversed() { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
    }
}
