/// The names under which a server answers, by the field Host (RFC 9112 §3.2).
///
/// A page of any site can have its own name lead to 127.0.0.1 once it is loaded (DNS rebinding): for the browser, what
/// listens there is of the page's origin then. Such requests name the site in Host.
public enum AllowedHosts: Equatable, Sendable {
    /// Every name.
    case any
    /// Names and addresses of this machine, and these names. For a server on loopback.
    case loopback(and: Set<String>)

    /// The refusal of a request that names another host.
    ///
    /// - Parameter authority: the value of Host, with or without a port; `nil` if there is none.
    /// - Returns: a response with the status 421; `nil` if the host is allowed.
    public func refusal(of authority: String?) -> WHIPResponse? {
        guard case .loopback(let names) = self else { return nil }
        if let authority {
            if Self.isLoopback(authority[...]) { return nil }
            let name = authority.hasPrefix("[") ? authority[...] : authority.prefix { $0 != ":" }
            if names.contains(where: { $0.lowercased() == name.lowercased() || $0 == authority }) { return nil }
        }
        return Problem(421, "This server does not have that name: it is for this machine.").response
    }

    /// Whether an authority is `localhost:8080` or another of this machine's.
    static func isLoopback(_ authority: Substring) -> Bool {
        let isPlain = authority.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\\".utf8.contains($0) }
        guard isPlain else { return false }
        if authority.hasPrefix("[") { return authority == "[::1]" || authority.hasPrefix("[::1]:") }
        let host = authority.prefix { $0 != ":" }.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || isLoopbackAddress(host)
    }

    /// 127.0.0.0/8, written in full.
    private static func isLoopbackAddress(_ host: String) -> Bool {
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil }
    }
}
