import Glibc
package import RillCore

/// The addresses at which peers reach a port, for host candidates; and where datagrams that come to them are answered
/// from.
///
/// ICE needs the answer to a check from the address that was asked (RFC 8445 §7.2.5.2.1). The system itself chooses a
/// source by the route to the destination. So on a machine with several addresses of a version each has a number, which
/// is the number of a socket for ICE, and datagrams carry it in both directions (IP_PKTINFO). Number 0 is the system's
/// choice: of the loopback address, and on a machine with one address.
///
/// A value. The addresses are those of the time when it was made.
package struct LocalAddresses: Sendable {
    /// The addresses of the host candidates, the preferred ones first, each with its number.
    package private(set) var candidates: [(ip: IPAddress, number: Int)] = []
    /// The address of each number.
    private var sources: [IPAddress?] = [nil]

    /// The most candidates: the limit of an ICE agent.
    private static let limit = 16

    /// The addresses of a port.
    ///
    /// - Parameters:
    ///   - bound: where the port listens. One of all addresses has those of the machine.
    ///   - announced: the addresses of the candidates instead of the machine's; `nil` for those.
    package init(of bound: UDPAddress, announcing announced: [IPAddress]? = nil) {
        self.init(of: bound, announcing: announced, on: MachineAddresses.known)
    }

    init(of bound: UDPAddress, announcing announced: [IPAddress]?, on machine: [IPAddress]) {
        let own: [IPAddress] =
            switch bound.ip {
            case .anyV6: machine
            case .v4(0): machine.filter { !$0.isV6 }
            case let ip: [ip]
            }
        let reached = own.filter { !$0.isLoopback }
        if reached.count(where: \.isV6) > 1 || reached.count(where: { !$0.isV6 }) > 1 { sources += reached.map(\.self) }
        for ip in (announced ?? own) where !candidates.contains(where: { $0.ip == ip }) {
            guard candidates.count < LocalAddresses.limit else { break }
            // One that is not ours is that of a NAT, which passes datagrams on to one of ours.
            let own = sources.firstIndex(of: ip) ?? sources.firstIndex { $0?.isV6 == ip.isV6 && !ip.isLoopback }
            candidates.append((ip, own ?? 0))
        }
    }

    /// Opens a port, and finds its addresses.
    ///
    /// - Parameters:
    ///   - address: where to listen.
    ///   - announced: as for ``init(of:announcing:)``.
    ///   - settings: the options of the socket.
    /// - Throws: `socketFailed`.
    package static func listen(
        at address: UDPAddress, announcing announced: [IPAddress]?,
        _ settings: UDPSocket.Settings = UDPSocket.Settings()
    ) throws(TransportError) -> (socket: UDPSocket, addresses: LocalAddresses) {
        var settings = settings
        settings.reportsLocalAddress = true
        let socket = try open(address, settings)
        return (socket, LocalAddresses(of: socket.localAddress, announcing: announced))
    }

    /// A socket of all IPv6 addresses handles IPv4 too; it is one of IPv4 alone if the system has no IPv6.
    private static func open(
        _ address: UDPAddress, _ settings: UDPSocket.Settings
    ) throws(TransportError) -> UDPSocket {
        guard address.ip == .anyV6 else { return try UDPSocket(boundTo: address, settings: settings) }
        var settings = settings
        settings.onlyIPv6 = false
        do throws(TransportError) {
            return try UDPSocket(boundTo: address, settings: settings)
        } catch .socketFailed(.open, _, code: EAFNOSUPPORT) {
            return try UDPSocket(boundTo: UDPAddress(.v4(0), port: address.port), settings: settings)
        }
    }

    /// Whether datagrams need numbers.
    package var areSeveral: Bool { sources.count > 1 }

    /// The number of the address that a datagram came to.
    package func number(of local: IPAddress?) -> Int {
        guard areSeveral, let local else { return 0 }
        return sources.firstIndex(of: local) ?? 0
    }

    /// The address that a datagram of that number leaves from; `nil` for the system's choice.
    package func source(_ number: Int) -> IPAddress? { sources.indices.contains(number) ? sources[number] : nil }
}

extension DatagramTransport {
    /// Whether datagrams to that address arrive at this transport itself.
    package func receives(at address: UDPAddress) -> Bool {
        let own = localAddress
        guard own.port == address.port else { return false }
        let isAnywhere = own.ip == .anyV6 || own.ip == .v4(0)
        guard isAnywhere, own.ip == .anyV6 || !address.ip.isV6 else { return own.ip == address.ip }
        return address.ip.isLoopback || address.ip == own.ip || MachineAddresses.known.contains(address.ip)
    }
}

/// The addresses of this machine.
package enum MachineAddresses {
    /// The addresses at which this machine is reached, at the end the loopback address: first those that it has towards
    /// others, of IPv6 and IPv4 (RFC 8421 §4), then those of further interfaces.
    package static var known: [IPAddress] {
        // Nothing is sent: the socket only looks up a route. It fails without one, and then there is no such address.
        let routed = [IPAddress.v6(0x2001_0DB8 << 96 | 1, zone: 0), .v4(0xC633_6401)].compactMap { ip in
            try? ConnectedUDPSocket(to: UDPAddress(ip, port: 9)).localAddress.ip
        }
        return usable(routed + ofInterfaces)
    }

    /// Of addresses those that may be candidates, without duplicates, and the loopback address.
    static func usable(_ all: [IPAddress]) -> [IPAddress] {
        var usable: [IPAddress] = []
        for ip in all where ip.isReachable && !usable.contains(ip) { usable.append(ip) }
        // RFC 3927 §2.6.2: not beside an address that others route.
        if usable.contains(where: { !$0.isV6 && !$0.isLinkLocal }) { usable.removeAll { !$0.isV6 && $0.isLinkLocal } }
        return usable + [.loopback]
    }

    /// The addresses of interfaces that are up.
    private static var ofInterfaces: [IPAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        let isUpAndRunning = UInt32(IFF_UP | IFF_RUNNING)
        var addresses: [IPAddress] = []
        while let entry = unsafe next {
            let isUp = unsafe entry.pointee.ifa_flags & isUpAndRunning == isUpAndRunning
            // Each entry's address lives as long as the list, and has the size that its family implies.
            if isUp, let system = unsafe entry.pointee.ifa_addr, let address = unsafe UDPAddress(system) {
                addresses.append(address.ip)
            }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }
}

extension IPAddress {
    /// Whether other machines may reach it: not of the loopback interface, of several machines or of none; and of IPv6
    /// not of one link (RFC 8445 §5.1.1.1), which needs a zone.
    fileprivate var isReachable: Bool {
        switch self {
        case .v4(let number): number >> 24 != 0 && number >> 24 != 127 && number >> 28 < 14
        case .v6(let number, _):
            // ::/96 and ::ffff:0:0/96, fe80::/10, fec0::/10, ff00::/8.
            number >> 32 != 0 && number >> 32 != 0xFFFF && number >> 119 != 0x1FD && number >> 120 != 0xFF
        }
    }

    /// Whether it is of a link without a router: of IPv4, 169.254.0.0/16.
    fileprivate var isLinkLocal: Bool { if case .v4(let number) = self { number >> 16 == 0xA9FE } else { false } }
}
