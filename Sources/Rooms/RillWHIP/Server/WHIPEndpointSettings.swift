/// How an endpoint answers.
public struct WHIPEndpointSettings: Sendable {
    /// The STUN and TURN servers for a client, which may have a name and a password of its own there: called for each
    /// session, from any thread.
    public var iceServers: @Sendable () -> [ICEServer]
    /// The longest body that is read, in bytes. Longer ones are answered with 413.
    public var maximumBodyByteCount: Int

    /// The pages that may send requests.
    public var origins: AllowedOrigins

    /// Settings; by default no ICE servers, bodies of 256 KiB, and pages of any site.
    public init(
        iceServers: @autoclosure @escaping @Sendable () -> [ICEServer] = [], maximumBodyByteCount: Int = 1 << 18,
        origins: AllowedOrigins = .any
    ) {
        (self.iceServers, self.maximumBodyByteCount, self.origins) = (iceServers, maximumBodyByteCount, origins)
    }
}

/// The pages whose scripts may use an endpoint in a browser, by their origin (RFC 6454).
public enum AllowedOrigins: Equatable, Sendable {
    /// Pages of any site. Access depends on tokens, not on origins.
    case any
    /// Pages that this machine serves. For an endpoint without tokens on loopback: otherwise any site that its user
    /// visits could publish and watch there.
    case loopback

    /// The value of Access-Control-Allow-Origin for a request; `nil` if none is sent.
    package func allowance(for origin: String?) -> String? {
        switch self {
        case .any: "*"
        case .loopback: origin.flatMap { Self.isLoopback($0) ? $0 : nil }
        }
    }

    /// Whether pages of an origin may use the server. Programs that are not browsers send none.
    package func allows(_ origin: String?) -> Bool {
        guard self == .loopback, let origin else { return true }
        return Self.isLoopback(origin)
    }

    /// Checks the field Origin of a request.
    ///
    /// - Throws: 403.
    func check(_ origin: String?) throws(Problem) {
        guard !allows(origin) else { return }
        throw Problem(403, "Without tokens, only pages of this machine may use the server.")
    }

    /// Whether an origin is `http://localhost:8080` or another of this machine's.
    private static func isLoopback(_ origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return AllowedHosts.isLoopback(origin.dropFirst(scheme.count))
        }
        return false
    }
}
