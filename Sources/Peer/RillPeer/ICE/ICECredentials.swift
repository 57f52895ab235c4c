/// The username fragment and password of one side, for one generation of candidates (RFC 8445 §5.3, RFC 8839 §5.4).
///
/// ```swift
/// var generator = SystemRandomNumberGenerator()
/// let credentials = ICECredentials(using: &generator)
/// ```
public struct ICECredentials: Hashable, Sendable {
    /// Finds the agent that a check is for: 4 to 256 letters, digits, `+` or `/`. It is not a secret.
    public let usernameFragment: String
    /// The key of checks to this side: 22 to 256 of the same characters.
    public let password: String

    /// Draws credentials: a fragment of 8 characters, 48 bits, so that fragments of many peers on one port do not
    /// collide, and a password of 24, 144 bits. RFC 8445 §5.3 requires 24 and 128 bits.
    ///
    /// - Parameter generator: where the randomness comes from. It must be unpredictable.
    public init(using generator: inout some RandomNumberGenerator) {
        usernameFragment = ICECharacters.random(count: 8, using: &generator)
        password = ICECharacters.random(count: 24, using: &generator)
    }

    /// Credentials from signaling, or chosen by the app.
    ///
    /// - Throws: `invalidUsernameFragment`, `invalidPassword` or `invalidCharacter`.
    public init(usernameFragment: String, password: String) throws(ICEError) {
        guard (4...256).contains(usernameFragment.utf8.count) else {
            throw .invalidUsernameFragment(byteCount: usernameFragment.utf8.count)
        }
        guard (22...256).contains(password.utf8.count) else { throw .invalidPassword(byteCount: password.utf8.count) }
        try ICECharacters.check(usernameFragment)
        try ICECharacters.check(password)
        self.usernameFragment = usernameFragment
        self.password = password
    }

    /// The longest fragment of our own (RFC 8839 §5.4), in bytes.
    public static let maximumOwnFragmentByteCount = 32
}

extension ICECredentials: CustomStringConvertible {
    /// The username fragment. The password is never shown.
    public var description: String { "ice-ufrag \(usernameFragment)" }
}

/// The `ice-char` of RFC 8839 §5.1: 64 characters, six bits each.
enum ICECharacters {
    private static let all = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    static func check(_ text: String) throws(ICEError) {
        for (offset, byte) in text.utf8.enumerated() where !contains(byte) {
            throw .invalidCharacter(byte, offset: offset)
        }
    }

    static func random(count: Int, using generator: inout some RandomNumberGenerator) -> String {
        // 64 divides 2^64: each character is equally likely.
        String(decoding: (0..<count).map { _ in all[Int(generator.next() & 63)] }, as: UTF8.self)
    }
}

/// The credentials of both sides between two restarts (RFC 8445 §9), and what follows from them.
final class ICEGeneration {
    let local: ICECredentials
    let localKey: STUNIntegrityKey
    private(set) var remote: ICECredentials?
    private(set) var remoteKey: STUNIntegrityKey?
    /// The USERNAME of requests to the remote side.
    private(set) var outgoingUsername: [UInt8] = []
    /// The USERNAME of requests to us, without the remote fragment as long as that is not known.
    private var incomingUsername: [UInt8]

    init(_ local: ICECredentials) {
        precondition(
            local.usernameFragment.utf8.count <= ICECredentials.maximumOwnFragmentByteCount,
            "a username fragment of our own has at most \(ICECredentials.maximumOwnFragmentByteCount) bytes")
        self.local = local
        incomingUsername = Array("\(local.usernameFragment):".utf8)
        localKey = STUNIntegrityKey(password: Array(local.password.utf8))
    }

    func setRemote(_ credentials: ICECredentials) {
        remote = credentials
        remoteKey = STUNIntegrityKey(password: Array(credentials.password.utf8))
        outgoingUsername = Array("\(credentials.usernameFragment):\(local.usernameFragment)".utf8)
        incomingUsername = Array("\(local.usernameFragment):\(credentials.usernameFragment)".utf8)
    }

    /// Whether USERNAME is that of a request to us: our fragment, a colon, and the remote one if it is known.
    func isUsername(_ name: Span<UInt8>) -> Bool {
        // Of arrays: bytes of a string's UTF-8 view took 30 instructions each.
        let expected = incomingUsername
        guard remote == nil ? name.count >= expected.count : name.count == expected.count else { return false }
        for index in expected.indices where name[index] != expected[index] { return false }
        return true
    }
}
