#if Server
import Crypto
import FoundationEssentials
public import RillWHIP

/// The STUN and TURN servers that clients are told: those behind a firewall reach the server through them.
///
/// With the secret that a TURN server shares (`static-auth-secret` of coturn, its `use-auth-secret`), each client gets
/// a name and a password of its own, which end after a day: draft-uberti-behave-turn-rest-00 §2.2. The name is the time
/// of its end, in seconds since 1970, and a random word; the password is the HMAC of the name with SHA-1, in base64.
public struct ClientICEServers: Sendable {
    /// The servers. TURN servers that have no name and password of their own get them from the secret.
    public var servers: [ICEServer]
    /// The secret; `nil` if there is none.
    public var secret: [UInt8]?

    /// For how long a name is valid, in seconds: as the draft has it.
    static let lifetime = 86_400

    /// Servers.
    public init(_ servers: [ICEServer] = [], secret: [UInt8]? = nil) {
        (self.servers, self.secret) = (servers, secret)
    }

    /// The servers for a client that asks now. Reads the wall clock, and draws a random word.
    func issued() -> [ICEServer] {
        issued(at: Int(Date().timeIntervalSince1970), word: .random(in: 0 ... .max))
    }

    /// The servers for a client that asks at a time, in seconds since 1970.
    package func issued(at time: Int, word: UInt32) -> [ICEServer] {
        guard let secret else { return servers }
        let username = "\(time + Self.lifetime):\(String(word, radix: 16))"
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Array(username.utf8), using: SymmetricKey(data: secret))
        let credential = Data(code).base64EncodedString()
        return servers.map { server in
            guard server.isRelay, server.credential == nil else { return server }
            return ICEServer(server.url, username: username, credential: credential)
        }
    }

    /// The servers for a page: what its RTCPeerConnection takes as `iceServers`.
    func configuration() throws -> Data {
        struct Configuration: Encodable { var iceServers: [Server] }
        struct Server: Encodable {
            var urls: String
            var username: String?
            var credential: String?
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            Configuration(
                iceServers: issued().map { Server(urls: $0.url, username: $0.username, credential: $0.credential) }))
    }
}

extension ICEServer {
    fileprivate var isRelay: Bool { url.hasPrefix("turn:") || url.hasPrefix("turns:") }
}
#endif
