import RillCore
import Testing

@testable import RillTransport

struct LocalAddressesTests {
    private static let any = UDPAddress(.anyV6, port: 5004)

    private static func ip(_ text: String) -> IPAddress { IPAddress(text)! }

    private static func addresses(
        _ machine: [String], of bound: UDPAddress = any, announcing announced: [String]? = nil
    ) -> LocalAddresses {
        LocalAddresses(of: bound, announcing: announced?.map { ip($0) }, on: machine.map { ip($0) })
    }

    // MARK: Which addresses

    @Test func `Addresses that no peer can reach are no candidates`() {
        let all = [
            "192.0.2.7", "169.254.3.4", "224.0.0.1", "127.0.0.2", "0.0.0.0", "2001:db8::7", "fe80::1", "fec0::1",
            "ff02::1", "::1", "::", "::ffff:192.0.2.8", "fd00::7", "192.0.2.7",
        ].map { Self.ip($0) }
        let candidates = ["192.0.2.7", "2001:db8::7", "fd00::7", "127.0.0.1"].map { Self.ip($0) }
        #expect(MachineAddresses.usable(all) == candidates)
    }

    @Test func `An address of a link without a router is a candidate where there is no other`() {
        #expect(MachineAddresses.usable([Self.ip("169.254.3.4")]) == [Self.ip("169.254.3.4"), .loopback])
    }

    @Test func `A port of one address has that alone`() {
        let bound = UDPAddress(Self.ip("192.0.2.7"), port: 5004)
        let addresses = Self.addresses(["192.0.2.7", "198.51.100.7", "127.0.0.1"], of: bound)
        #expect(addresses.candidates.map(\.ip) == [Self.ip("192.0.2.7")])
        #expect(!addresses.areSeveral)
    }

    @Test func `A port of IPv4 has no addresses of IPv6`() {
        let addresses = Self.addresses(["2001:db8::7", "192.0.2.7", "127.0.0.1"], of: UDPAddress(.v4(0), port: 5004))
        #expect(addresses.candidates.map(\.ip) == [Self.ip("192.0.2.7"), .loopback])
    }

    @Test func `A machine with many addresses has as many candidates as an agent takes`() {
        let addresses = Self.addresses((1...40).map { "192.0.2.\($0)" })
        #expect(addresses.candidates.count == 16)
        #expect(addresses.number(of: Self.ip("192.0.2.16")) == 16)
    }

    // MARK: Numbers

    @Test func `One address of each version needs no numbers`() {
        let addresses = Self.addresses(["2001:db8::7", "192.0.2.7", "127.0.0.1"])
        #expect(addresses.candidates.map(\.number) == [0, 0, 0])
        #expect(addresses.number(of: Self.ip("192.0.2.7")) == 0 && addresses.source(0) == nil)
    }

    @Test func `Each of several addresses has a number, and the loopback address has none`() {
        let addresses = Self.addresses(["192.0.2.7", "198.51.100.7", "127.0.0.1"])
        #expect(addresses.candidates.map(\.number) == [1, 2, 0])
        for text in ["192.0.2.7", "198.51.100.7"] {
            #expect(addresses.source(addresses.number(of: Self.ip(text))) == Self.ip(text))
        }
        // The system chooses for what is not known.
        #expect(addresses.source(addresses.number(of: Self.ip("203.0.113.1"))) == nil)
        #expect(addresses.source(addresses.number(of: nil)) == nil && addresses.source(9) == nil)
    }

    @Test func `The address of a NAT has the number of the first address behind it`() {
        let addresses = Self.addresses(
            ["2001:db8::7", "192.0.2.7", "198.51.100.7", "127.0.0.1"], announcing: ["203.0.113.9", "198.51.100.7"])
        #expect(addresses.candidates.map(\.ip) == [Self.ip("203.0.113.9"), Self.ip("198.51.100.7")])
        #expect(addresses.source(addresses.candidates[0].number) == Self.ip("192.0.2.7"))
        #expect(addresses.source(addresses.candidates[1].number) == Self.ip("198.51.100.7"))
    }

    // MARK: On the wire

    /// A peer that is connected to one address takes nothing from another.
    @Test(arguments: [UDPAddress(.anyV6, port: 0), UDPAddress(.v4(0), port: 0)])
    func `A datagram is answered from the address that it came to`(bound: UDPAddress) throws {
        let (server, _) = try LocalAddresses.listen(at: bound, announcing: nil)
        let asked = Self.ip("127.0.0.2")
        let peer = try ConnectedUDPSocket(to: UDPAddress(asked, port: server.localAddress.port))
        try peer.send([1].span)
        var incoming = IncomingDatagrams()
        guard case .received(1) = try server.receive(into: &incoming, within: .seconds(10)) else {
            Issue.record("nothing came")
            return
        }
        #expect(incoming.localAddress(at: 0) == asked)
        var outgoing = OutgoingDatagrams()
        outgoing.append(to: incoming.source(at: 0), from: incoming.localAddress(at: 0)) { $0.append(2) }
        #expect(server.send(&outgoing) == .sent)
        var bytes: [UInt8] = []
        let answer = try peer.receive(into: &bytes, within: .seconds(10))
        #expect(answer?.source.ip == asked && bytes == [2])
    }

    @Test func `Datagrams from different addresses are not one message`() throws {
        let (server, _) = try LocalAddresses.listen(at: UDPAddress(.anyV6, port: 0), announcing: nil)
        let peer = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        var outgoing = OutgoingDatagrams()
        let sources = ["127.0.0.3", "127.0.0.4", "127.0.0.4", "127.0.0.5"].map { Self.ip($0) }
        for source in sources {
            outgoing.append(to: peer.localAddress, from: source) { $0.append(repeating: 7, count: 100) }
        }
        #expect(server.send(&outgoing) == .sent)
        var bytes: [UInt8] = []
        var seen: [IPAddress] = []
        for _ in sources {
            let datagram = try peer.receive(into: &bytes, within: .seconds(10))
            seen.append(try #require(datagram).source.ip)
            #expect(bytes.count == 100)
        }
        #expect(seen == sources)
    }

    @Test func `A port of all IPv6 addresses is reached by both versions`() throws {
        let (server, _) = try LocalAddresses.listen(at: UDPAddress(.anyV6, port: 0), announcing: nil)
        var bytes: [UInt8] = []
        for ip in [IPAddress.loopback, .loopbackV6] {
            let peer = try ConnectedUDPSocket(to: UDPAddress(ip, port: server.localAddress.port))
            try peer.send([1].span)
            let datagram = try server.receive(into: &bytes, within: .seconds(10))
            #expect(datagram?.source == peer.localAddress)
        }
    }
}
