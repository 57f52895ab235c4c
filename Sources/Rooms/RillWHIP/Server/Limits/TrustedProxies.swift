public import RillCore

/// The proxies whose X-Forwarded-For fields are trusted.
///
/// Any client can write such a field. It counts only as far as trusted proxies have written it.
public struct TrustedProxies: Equatable, Sendable {
    /// Their addresses. By default none.
    public var addresses: Set<IPAddress>

    /// Proxies at these addresses.
    public init(_ addresses: Set<IPAddress> = []) { self.addresses = addresses }

    /// The address of a request's client.
    ///
    /// - Parameters:
    ///   - peer: the address of the connection; `nil` if it has none.
    ///   - forwardedFor: the values of all X-Forwarded-For fields, in order: each proxy has appended the address of
    ///     its client.
    /// - Returns: the last address that is not a trusted proxy's.
    public func client(of peer: IPAddress?, forwardedFor: [String]) -> IPAddress? {
        guard var client = peer else { return nil }
        var hops = forwardedFor.flatMap { $0.split(separator: ",") }[...]
        while addresses.contains(client), let hop = hops.popLast(), let address = Self.address(hop) { client = address }
        return client
    }

    /// An address as proxies write it: some add a port, and then brackets.
    private static func address(_ text: Substring) -> IPAddress? {
        let text = text.trimmed
        if text.hasPrefix("[") { return IPAddress(text.dropFirst().prefix { $0 != "]" }) }
        return IPAddress(text) ?? IPAddress(text.prefix { $0 != ":" })
    }
}
