#if Server
public import RillWHIP

/// Where and how a server listens.
public struct ServerSettings: Sendable {
    /// The address, numeric or a name.
    public var address: String
    /// The port; 0 for any that is free.
    public var port: Int
    /// The certificate for HTTPS; `nil` for HTTP.
    public var tls: TLSFiles?
    /// What clients may take.
    public var limits: ServerLimits
    /// The STUN and TURN servers that clients are told.
    public var iceServers: ClientICEServers
    /// Names beside this machine's own under which a server on loopback answers, as of a proxy in front of it.
    public var hostNames: Set<String> = []
    /// The proxies whose X-Forwarded-For is believed. Without them the address of a connection is that of its client.
    public var proxies = TrustedProxies()

    /// Settings; by default HTTP on loopback.
    public init(
        address: String = "127.0.0.1", port: Int = 8080, tls: TLSFiles? = nil, limits: ServerLimits = ServerLimits(),
        iceServers: ClientICEServers = ClientICEServers()
    ) {
        (self.address, self.port, self.tls, self.limits) = (address, port, tls, limits)
        self.iceServers = iceServers
    }

    /// The names under which it answers.
    var hosts: AllowedHosts { isLoopback ? .loopback(and: hostNames) : .any }

    /// Whether only this machine can connect.
    public var isLoopback: Bool {
        address == "localhost" || address == "::1" || address.hasPrefix("127.") && address.utf8.allSatisfy(\.isNumeric)
    }
}

extension UInt8 {
    fileprivate var isNumeric: Bool {
        self == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
#endif
