#if Server
import FoundationEssentials
import JWTKit
public import RillWHIP

/// Tokens that are signed with a secret: JSON web tokens (RFC 7519) with HMAC and SHA-256.
///
/// ```swift
/// let tokens = try await SignedTokens(secret: Array(secret))
/// let token = try await tokens.token(publish: .only(["stage"]), watch: .all, lifetime: .seconds(3600))
/// ```
///
/// A token without `exp` is not valid. Reads the wall clock when it makes or checks a token.
public struct SignedTokens: TokenVerifier {
    /// The shortest secret, in bytes: the size of the hash (RFC 7518 §3.2).
    public static let leastSecretByteCount = 32
    /// The longest token that is checked, in bytes.
    public static let maximumTokenByteCount = 8192

    let keys: JWTKeyCollection
    /// What they are signed with.
    let secret: [UInt8]

    /// Tokens of a secret.
    ///
    /// - Throws: `shortSecret`.
    public init(secret: [UInt8]) async throws(ServerError) {
        guard secret.count >= Self.leastSecretByteCount else {
            throw .shortSecret(byteCount: secret.count, least: Self.leastSecretByteCount)
        }
        self.secret = secret
        keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    }

    /// Tokens of the secret in a file. White space around it does not belong to it.
    ///
    /// - Throws: `unreadable` or `shortSecret`.
    public init(secretFile path: String) async throws(ServerError) {
        try await self.init(secret: try ServerSecret.bytes(inFile: path))
    }

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - publish: the streams that may be published with it.
    ///   - watch: the streams that may be watched with it.
    ///   - metrics: whether it is for reading the metrics, and what goes on in rooms.
    ///   - operate: whether it is for revoking tokens.
    ///   - subject: whose it is: quotas count all tokens of a subject together, and its publishers are the same one.
    ///   - lifetime: for how long it is valid.
    /// - Throws: `signing` if the library fails.
    public func token(
        publish: StreamNames, watch: StreamNames, metrics: Bool = false, operate: Bool = false,
        subject: String? = nil, lifetime: Duration
    ) async throws(ServerError) -> String {
        // Whole seconds, as most readers expect.
        let now = Date().timeIntervalSince1970.rounded(.down)
        let expiration = Date(timeIntervalSince1970: now + Double(lifetime.components.seconds))
        do {
            return try await keys.sign(
                TokenClaims(
                    publish: publish, watch: watch, metrics: metrics, operate: operate, subject: subject,
                    expiration: expiration))
        } catch {
            throw .signing("\(error)")
        }
    }

    /// Checks signature and expiration.
    public func check(_ token: String) async -> CheckedToken {
        // Whoever guesses tokens is not told why one is refused.
        guard token.utf8.count <= Self.maximumTokenByteCount,
            let claims = try? await keys.verify(token, as: TokenClaims.self)
        else { return CheckedToken(.invalid) }
        return CheckedToken(
            .limited(publish: claims.publish.names, watch: claims.watch.names), readsMetrics: claims.metrics ?? false,
            operates: claims.operate ?? false,
            subject: claims.sub, bearer: claims.sub.map { "subject \($0)" } ?? Self.name(of: token))
    }

    /// What a token is counted by: what is signed, not the signature, which can be written in several ways.
    static func name(of token: String) -> String {
        "token \(token.split(separator: ".").prefix(2).joined(separator: ".").hashValue)"
    }
}

/// Secrets of a server.
public enum ServerSecret {
    /// The secret in a file. White space around it does not belong to it.
    ///
    /// - Throws: `unreadable`.
    public static func bytes(inFile path: String) throws(ServerError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path: path) }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        return Array(data.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

/// The claims of a token: the names of streams that its bearer may publish and watch, whether it may read the metrics,
/// whose it is, and until when.
///
/// ```json
/// {"publish": ["stage"], "watch": "*", "sub": "anna", "exp": 1767225600}
/// ```
struct TokenClaims: JWTPayload, Equatable {
    var publish: ClaimedNames
    var watch: ClaimedNames
    var exp: ExpirationClaim
    var nbf: NotBeforeClaim?
    var metrics: Bool?
    var operate: Bool?
    var sub: String?

    func verify(using algorithm: some JWTAlgorithm) async throws {
        try exp.verifyNotExpired()
        try nbf?.verifyNotBefore()
    }

    init(
        publish: StreamNames, watch: StreamNames, metrics: Bool, operate: Bool, subject: String?, expiration: Date
    ) {
        (self.publish, self.watch) = (ClaimedNames(names: publish), ClaimedNames(names: watch))
        (self.metrics, self.operate, sub) = (metrics ? true : nil, operate ? true : nil, subject)
        exp = ExpirationClaim(value: expiration)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let none = ClaimedNames(names: .only([]))
        publish = try container.decodeIfPresent(ClaimedNames.self, forKey: .publish) ?? none
        watch = try container.decodeIfPresent(ClaimedNames.self, forKey: .watch) ?? none
        exp = try container.decode(ExpirationClaim.self, forKey: .exp)
        nbf = try container.decodeIfPresent(NotBeforeClaim.self, forKey: .nbf)
        metrics = try container.decodeIfPresent(Bool.self, forKey: .metrics)
        operate = try container.decodeIfPresent(Bool.self, forKey: .operate)
        sub = try container.decodeIfPresent(String.self, forKey: .sub)
    }
}

/// Names in a claim: an array of them, or `"*"` for all.
struct ClaimedNames: Codable, Equatable {
    var names: StreamNames

    init(names: StreamNames) { self.names = names }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A name, or a list of names: what is neither is the error of the list.
        if let word = try? container.decode(String.self) {
            names = word == "*" ? .all : .only([word])
        } else {
            names = .only(Set(try container.decode([String].self)))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch names {
        case .all: try container.encode("*")
        case .only(let names): try container.encode(names.sorted())
        }
    }
}

/// Finds out what bearer tokens allow, and whose they are.
public protocol TokenVerifier: Sendable {
    /// Checks a token.
    ///
    /// - Parameter token: what a client sent; any text.
    /// - Returns: what it allows, or `invalid`.
    func check(_ token: String) async -> CheckedToken
}

/// What a token says.
public struct CheckedToken: Equatable, Sendable {
    /// What its bearer may do with streams.
    public var access: StreamAccess
    /// Whether its bearer may read the metrics, and what goes on in rooms.
    public var readsMetrics: Bool
    /// Whether its bearer may revoke tokens.
    public var operates: Bool
    /// Whose it is; `nil` if it does not say.
    public var subject: String?
    /// By what its sessions are counted: the same text for all tokens that say the same.
    public var bearer: String?

    /// A token that says this.
    public init(
        _ access: StreamAccess, readsMetrics: Bool = false, operates: Bool = false, subject: String? = nil,
        bearer: String? = nil
    ) {
        (self.access, self.readsMetrics, self.operates) = (access, readsMetrics, operates)
        (self.subject, self.bearer) = (subject, bearer)
    }
}
#endif
