/// The address of a UDP endpoint: an IP address and a port.
public struct UDPAddress: Hashable, Sendable {
    /// The IP address of the machine or of one of its interfaces.
    public var ip: IPAddress
    /// The port. 0 lets the system choose one.
    public var port: UInt16

    /// Creates an endpoint address.
    public init(_ ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// Parses a numeric address and port: `192.0.2.1:5004`, `[2001:db8::1]:5004`. Returns `nil` for any other text.
    /// Host names need a resolver: `UDPAddress.resolve` of RillTransport.
    public init?(_ text: some StringProtocol) {
        guard let parts = HostAndPort(text), let ip = IPAddress(parts.host), parts.isBracketed == ip.isV6 else {
            return nil
        }
        self.init(ip, port: parts.port)
    }
}

extension UDPAddress {
    /// Hashes one word for IPv4, where the synthesized method hashes four: a port looks up a peer for each datagram.
    public func hash(into hasher: inout Hasher) {
        switch ip {
        case .v4(let address): hasher.combine(UInt64(address) << 16 | UInt64(port))
        case .v6(let address, let zone):
            hasher.combine(UInt64(truncatingIfNeeded: address >> 64))
            hasher.combine(UInt64(truncatingIfNeeded: address))
            hasher.combine(UInt64(zone) << 16 | UInt64(port))
        }
    }
}

extension UDPAddress: CustomStringConvertible {
    /// `192.0.2.1:5004`, `[2001:db8::1]:5004`.
    public var description: String { ip.isV6 ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

/// The parts of `HOST:PORT` and `[V6]:PORT`. The host is not validated.
package struct HostAndPort {
    /// A name or a numeric address.
    package let host: String
    package let port: UInt16
    /// Whether the host was in square brackets, as IPv6 addresses must be.
    package let isBracketed: Bool

    /// Returns `nil` if there is no host, or no port from 0 to 65535.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = bytes[(colon + 1)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        var host = bytes[..<colon]
        isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        if isBracketed { host = host.dropFirst().dropLast() }
        // With a second colon and no brackets, it is unclear where the address ends.
        guard !host.isEmpty, isBracketed || !host.contains(UInt8(ascii: ":")) else { return nil }
        self.host = String(decoding: host, as: UTF8.self)
        self.port = port
    }
}
