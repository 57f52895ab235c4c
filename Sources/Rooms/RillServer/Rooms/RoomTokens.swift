#if Server
import Crypto
import FoundationEssentials
import JWTKit
public import RillRooms

/// Finds out what tokens allow in rooms.
public protocol RoomTokenVerifier: Sendable {
    /// Checks a token.
    ///
    /// - Parameters:
    ///   - token: what a client sent; any text.
    ///   - room: the room that it wants to come into.
    /// - Returns: what it allows; `nil` for nothing.
    func grant(of token: String, in room: String) async -> RoomGrant?
}

extension SignedTokens: RoomTokenVerifier {
    /// Makes a token for rooms.
    ///
    /// - Parameters:
    ///   - rooms: the rooms that it lets its bearer into.
    ///   - identity: who that is: a newer session of an identity takes the place of the older one; `nil` for a guest.
    ///   - name: the name that is shown; `nil` for the one that is asked for.
    ///   - role: the highest role.
    ///   - rights: what it may do, at most; `nil` for all that the role may.
    ///   - lifetime: for how long it is valid.
    /// - Throws: `signing` if the library fails.
    public func token(
        rooms: RoomNames, identity: String? = nil, name: String? = nil, role: Role = .speaker, rights: Rights? = nil,
        lifetime: Duration
    ) async throws(ServerError) -> String {
        let now = Date().timeIntervalSince1970.rounded(.down)
        let claims = RoomClaims(
            room: rooms, sub: identity, name: name, role: role, rights: rights,
            iat: IssuedAtClaim(value: Date(timeIntervalSince1970: now)),
            exp: ExpirationClaim(value: Date(timeIntervalSince1970: now + Double(lifetime.components.seconds))))
        do { return try await keys.sign(claims) } catch { throw .signing("\(error)") }
    }

    /// Checks signature, times and room.
    public func grant(of token: String, in room: String) async -> RoomGrant? {
        // The reason of a refusal would help a client that guesses tokens.
        guard token.utf8.count <= Self.maximumTokenByteCount,
            let claims = try? await keys.verify(token, as: RoomClaims.self), claims.room.contains(room)
        else { return nil }
        var grant = RoomGrant(
            identity: claims.sub, name: claims.name, role: claims.role ?? .speaker, rights: claims.rights,
            expires: Int(claims.exp.value.timeIntervalSince1970),
            issued: (claims.iat?.value.timeIntervalSince1970).map { Int(min($0, 1e12)) })
        grant.token = Self.name(of: token)
        return grant
    }
}

/// Names of rooms in a token: `"lobby"`, a list of them, or `"*"` for all.
public enum RoomNames: Codable, Equatable, Sendable {
    /// Every room.
    case all
    /// These rooms.
    case only([String])

    func contains(_ room: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(room)
        }
    }

    /// Reads one name, a list, or `"*"`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // What is neither a name nor a list is the error of the list.
        if let word = try? container.decode(String.self) {
            self = word == "*" ? .all : .only([word])
        } else {
            self = .only(try container.decode([String].self))
        }
    }

    /// Writes a list, or `"*"`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .all: try container.encode("*")
        case .only(let names): try container.encode(names)
        }
    }
}

/// The claims of a token for rooms.
///
/// ```json
/// {"room": "lobby", "sub": "anna", "name": "Anna", "role": "host", "exp": 1767225600}
/// ```
struct RoomClaims: JWTPayload {
    var room: RoomNames
    var sub: String?
    var name: String?
    var role: Role?
    var rights: Rights?
    var nbf: NotBeforeClaim?
    var iat: IssuedAtClaim?
    var exp: ExpirationClaim

    func verify(using algorithm: some JWTAlgorithm) async throws {
        try exp.verifyNotExpired()
        try nbf?.verifyNotBefore()
    }
}

/// Session tokens: their bytes and an HMAC with SHA-256 (RFC 2104), both in base64url (RFC 4648 §5).
struct SessionSeal: SessionSealer {
    private let key: SymmetricKey

    /// A seal of a secret; without one it is drawn, and sessions do not survive a restart.
    init(secret: [UInt8]?) { key = secret.map { SymmetricKey(data: $0) } ?? SymmetricKey(size: .bits256) }

    func seal(_ bytes: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: key)
        return "\(Base64URL.encode(bytes)).\(Base64URL.encode(Array(code)))"
    }

    func open(_ token: String) -> [UInt8]? {
        guard token.utf8.count <= SignedTokens.maximumTokenByteCount else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Base64URL.decode(parts[0]), let code = Base64URL.decode(parts[1]),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
        else { return nil }
        return bytes
    }
}

/// Base64 for URLs, without padding.
private enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func decode(_ text: Substring) -> [UInt8]? {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)).map(
            Array.init)
    }
}
#endif
