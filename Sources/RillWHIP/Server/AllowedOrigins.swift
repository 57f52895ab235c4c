/// The pages whose scripts may use an endpoint in a browser, by where the pages come from (RFC 6454).
public enum AllowedOrigins: Equatable, Sendable {
    /// Pages of any site. Tokens, not origins, say who may do what.
    case any
    /// Pages that this machine serves. For an endpoint without tokens on loopback: otherwise any site that its user visits
    /// could publish and watch there.
    case loopback

    /// The value of Access-Control-Allow-Origin for a request; `nil` if none is sent.
    func allowance(for origin: String?) -> String? {
        switch self {
        case .any: "*"
        case .loopback: origin.flatMap { Self.isLoopback($0) ? $0 : nil }
        }
    }

    /// Checks the field Origin of a request. Programs that are not browsers send none.
    ///
    /// - Throws: 403.
    func check(_ origin: String?) throws(Problem) {
        guard self == .loopback, let origin, !Self.isLoopback(origin) else { return }
        throw Problem(403, "Without tokens, only pages of this machine may use the server.")
    }

    /// Whether an origin is `http://localhost:8080` or another of this machine's.
    private static func isLoopback(_ origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            let authority = origin.dropFirst(scheme.count)
            let isPlain = authority.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\\".utf8.contains($0) }
            guard isPlain else { return false }
            if authority.hasPrefix("[") { return authority == "[::1]" || authority.hasPrefix("[::1]:") }
            let host = authority.prefix { $0 != ":" }
            return host == "localhost" || host.hasSuffix(".localhost") || isLoopbackAddress(host)
        }
        return false
    }

    /// 127.0.0.0/8, written in full.
    private static func isLoopbackAddress(_ host: Substring) -> Bool {
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil }
    }
}
