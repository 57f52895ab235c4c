/// A STUN or TURN server that an endpoint suggests to its clients, as a Link field carries it (RFC 9725 §4.6).
///
/// ```swift
/// ICEServer("turn:turn.example.net?transport=udp", username: "user", credential: "secret").link
/// // <turn:turn.example.net?transport=udp>; rel="ice-server"; username="user"; credential="secret";
/// // credential-type="password"
/// ```
public struct ICEServer: Equatable, Sendable {
    /// The URL: `stun:`, `stuns:`, `turn:` or `turns:`.
    public var url: String
    /// The user's name at a TURN server.
    public var username: String?
    /// The password at a TURN server.
    public var credential: String?

    /// A server with this URL. Traps if the URL has a character that URLs do not have.
    public init(_ url: String, username: String? = nil, credential: String? = nil) {
        precondition(Self.isUsable(url), "\(url) is not the URL of an ICE server")
        (self.url, self.username, self.credential) = (url, username, credential)
    }

    /// Whether a text may be the URL of a server: one of the four schemes, and only what URLs are written with.
    public static func isUsable(_ url: String) -> Bool {
        ["stun:", "stuns:", "turn:", "turns:"].contains { url.hasPrefix($0) && url.utf8.count > $0.utf8.count }
            && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    }

    /// The value of the Link field.
    public var link: String {
        var link = "<\(url)>; rel=\"ice-server\""
        if let username { link += "; username=\(username.quotedForHeader)" }
        if let credential { link += "; credential=\(credential.quotedForHeader); credential-type=\"password\"" }
        return link
    }
}

extension String {
    /// The text as a quoted-string (RFC 9110 §5.6.4). Control characters, which such a string cannot have, become
    /// spaces.
    var quotedForHeader: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
