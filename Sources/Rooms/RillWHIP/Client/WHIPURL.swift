/// An absolute URL of HTTP or HTTPS, as endpoints and sessions have them (RFC 3986, RFC 9110 §4.2).
///
/// It holds visible ASCII characters only, so it cannot add a line to a request.
struct WHIPURL: Equatable, Sendable {
    /// Whether the connection is encrypted.
    let isSecure: Bool
    /// Host and port as they were written; the host in lower case.
    let authority: String
    /// The path, which starts with a slash.
    private(set) var path: String
    /// The query without its question mark; `nil` if there is none.
    let query: String?

    /// The longest URL, in bytes.
    static let maximumLength = 4096

    /// Parses an absolute URL. A fragment is dropped.
    init(_ text: String) throws(WHIPURLProblem) { try self.init(try Reference(text)) }

    private init(_ parts: Reference) throws(WHIPURLProblem) {
        guard let scheme = parts.scheme else { throw .notAbsolute }
        guard let secure = WHIPURL.isSecure(scheme) else { throw .unsupportedScheme(scheme) }
        guard let authority = parts.authority else { throw .noHost }
        try self.init(isSecure: secure, authority: authority, path: parts.path, query: parts.query)
    }

    private init(isSecure: Bool, authority: String, path: String, query: String?) throws(WHIPURLProblem) {
        try WHIPURL.check(authority)
        (self.isSecure, self.authority) = (isSecure, authority.lowercased())
        self.path = path.isEmpty ? "/" : WHIPURL.withoutDots(path)
        self.query = query
    }

    /// The URL as text.
    var text: String {
        (isSecure ? "https://" : "http://") + authority + path + (query.map { "?" + $0 } ?? "")
    }

    /// Scheme, host and port (RFC 6454 §4).
    var origin: String {
        let usual = isSecure ? ":443" : ":80"
        let place = authority.hasSuffix(usual) ? String(authority.dropLast(usual.utf8.count)) : authority
        return (isSecure ? "https://" : "http://") + place
    }

    /// The URL that a reference means, seen from this one (RFC 3986 §5.2.2).
    func resolve(_ reference: String) throws(WHIPURLProblem) -> WHIPURL {
        let parts = try Reference(reference)
        if parts.scheme != nil { return try WHIPURL(parts) }
        if let authority = parts.authority {
            return try WHIPURL(isSecure: isSecure, authority: authority, path: parts.path, query: parts.query)
        }
        if parts.path.isEmpty {
            return try WHIPURL(isSecure: isSecure, authority: authority, path: path, query: parts.query ?? query)
        }
        // A relative path replaces everything after the last slash.
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        let whole = parts.path.hasPrefix("/") ? parts.path : folder + parts.path
        return try WHIPURL(isSecure: isSecure, authority: authority, path: whole, query: parts.query)
    }

    /// The folders above this URL's, from the root on, without those that `path` is in: of `/a/b/whip/stage` they are
    /// `/a` and `/a/b`. A proxy that serves one of them leaves it out of what the server behind it sees and writes.
    func foldersAbove(missingIn path: String) -> [String] {
        let folders = self.path.split(separator: "/").dropLast(2).prefix(3)
        return folders.indices.map { "/" + folders[...$0].joined(separator: "/") }.filter { !path.hasPrefix($0 + "/") }
    }

    /// This URL in a folder.
    func within(_ folder: String) -> WHIPURL {
        var url = self
        url.path = folder + path
        return url
    }

    private static func isSecure(_ scheme: String) -> Bool? {
        switch scheme.lowercased() {
        case "https": true
        case "http": false
        default: nil
        }
    }

    /// Checks host and port.
    private static func check(_ authority: String) throws(WHIPURLProblem) {
        guard !authority.contains("@") else { throw .hasUser }
        var host = Substring(authority)
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.lastIndex(of: "]") else { throw .badHost }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw .badHost }
            (host, port) = (authority[...end], rest.isEmpty ? nil : rest.dropFirst())
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        }
        guard !host.isEmpty else { throw .noHost }
        let isNamed = host.utf8.allSatisfy { byte in
            byte.isAlphanumeric || ".-_".utf8.contains(byte) || host.hasPrefix("[") && "[]:".utf8.contains(byte)
        }
        guard isNamed else { throw .badHost }
        guard let port else { return }
        guard port.utf8.count <= 5, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(port), (1...65_535).contains(number)
        else { throw .badPort(String(port.prefix(16))) }
    }

    /// Removes the segments `.` and `..` (RFC 3986 §5.2.4).
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(
            path.hasPrefix("/") ? 1 : 0)
        for (place, segment) in segments.enumerated() {
            let isLast = place == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }

    /// The components of a reference (RFC 3986 §4.1).
    private struct Reference {
        var scheme: String?
        var authority: String?
        var path: String
        var query: String?

        init(_ text: String) throws(WHIPURLProblem) {
            guard text.utf8.count <= WHIPURL.maximumLength else { throw .tooLong(limit: WHIPURL.maximumLength) }
            guard text.utf8.allSatisfy(Reference.isAllowed) else { throw .badCharacter }
            var rest = text.prefix { $0 != "#" }
            if let mark = rest.firstIndex(of: "?") {
                query = String(rest[rest.index(after: mark)...])
                rest = rest[..<mark]
            }
            if let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains("/") {
                scheme = String(rest[..<colon])
                rest = rest[rest.index(after: colon)...]
            }
            if rest.hasPrefix("//") {
                rest = rest.dropFirst(2)
                let end = rest.firstIndex(of: "/") ?? rest.endIndex
                authority = String(rest[..<end])
                rest = rest[end...]
            }
            path = String(rest)
        }

        /// Visible ASCII, without what must be percent-encoded everywhere.
        private static func isAllowed(_ byte: UInt8) -> Bool {
            (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
        }
    }
}

/// Why a URL cannot be used.
public enum WHIPURLProblem: Error, Equatable, Sendable {
    /// It is longer than this, in bytes.
    case tooLong(limit: Int)
    /// It has a character that a URL may not have.
    case badCharacter
    /// It has no scheme.
    case notAbsolute
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// It names no host.
    case noHost
    /// The host is not a name or an address.
    case badHost
    /// The port is not a number from 1 to 65535.
    case badPort(String)
    /// It contains a user name, which everyone with the URL would see.
    case hasUser
    /// It would leave HTTPS for HTTP.
    case leavesEncryption
}

extension WHIPURLProblem: CustomStringConvertible {
    /// A clause for an error.
    public var description: String {
        switch self {
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .badCharacter: "it has a character that must be percent-encoded"
        case .notAbsolute: "expected http://HOST/PATH or https://HOST/PATH"
        case .unsupportedScheme(let scheme): "\"\(scheme.prefix(16))\" is neither http nor https"
        case .noHost: "it names no host"
        case .badHost: "the host is neither a name nor an address"
        case .badPort(let port): "\"\(port)\" is not a port from 1 to 65535"
        case .hasUser: "it has a user's name or password, which URLs are not safe for; use a token"
        case .leavesEncryption: "it leaves HTTPS for HTTP"
        }
    }
}
