import RillCore
import RillTestSupport
import Testing

@Suite struct UDPAddressTests {
    static let addresses: [(String, IPAddress)] = [
        ("0.0.0.0", IPAddress.v4(0)), ("127.0.0.1", IPAddress.loopback), ("255.255.255.255", IPAddress.v4(.max)),
        ("192.0.2.17", IPAddress.v4(0xC000_0211)), ("::", IPAddress.v6(0, zone: 0)), ("::1", IPAddress.loopbackV6),
        ("1::", IPAddress.v6(0x1_0000_0000_0000_0000_0000_0000_0000, zone: 0)),
        ("2001:db8::1", IPAddress.v6(0x2001_0DB8_0000_0000_0000_0000_0000_0001, zone: 0)),
        ("1:0:0:2::3", IPAddress.v6(0x0001_0000_0000_0002_0000_0000_0000_0003, zone: 0)),
        ("fe80::1%12", IPAddress.v6(0xFE80_0000_0000_0000_0000_0000_0000_0001, zone: 12)),
        ("::ffff:192.0.2.17", IPAddress.v6(0xFFFF_C000_0211, zone: 0)),
        ("1:2:3:4:5:6:7:8", IPAddress.v6(0x0001_0002_0003_0004_0005_0006_0007_0008, zone: 0)),
        ("1:0:3:4:5:6:7:8", IPAddress.v6(0x0001_0000_0003_0004_0005_0006_0007_0008, zone: 0)),
    ]

    @Test(arguments: addresses)
    func `An address round-trips`(text: String, address: IPAddress) {
        #expect(IPAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        ("0:0::0", "::"), ("2001:DB8:0:0::", "2001:db8::"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1::2:0:0:3:0", "1::2:0:0:3:0"),
    ])
    func `Other spellings of version 6 come out in the form of RFC 5952`(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.-4", "1..2.3", "localhost", ":", ":::",
        "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "g::", "::1%", "::1%0", "::1%eth0",
        "1.2.3.4::", "+1.2.3.4", "::+1",
    ])
    func `Texts that are not a numeric address are rejected`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:5004", UDPAddress(.loopback, port: 5004)), ("[::1]:0", UDPAddress(.loopbackV6, port: 0)),
        ("[fe80::1%2]:65535", UDPAddress(.v6(0xFE80_0000_0000_0000_0000_0000_0000_0001, zone: 2), port: 65535)),
    ])
    func `An address with its port round-trips`(text: String, address: UDPAddress) {
        #expect(UDPAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", ":5004", "127.0.0.1:65536", "127.0.0.1:+5", "127.0.0.1: 5", "::1:5004",
        "[::1]", "[::1", "[]:5", "[127.0.0.1]:5", "localhost:5004", "[::1]:123456",
    ])
    func `Texts that are not an address with a port are rejected`(text: String) {
        #expect(UDPAddress(text) == nil)
    }

    @Test func `Any IPv6 address round-trips`() {
        var generator = SeededGenerator(seed: 5952)
        for _ in 0..<2000 {
            // Groups are zero as often as not.
            var address: UInt128 = 0
            for _ in 0..<8 {
                let word = generator.next()
                address = address << 16 | (word & 1 == 0 ? 0 : UInt128(word >> 48))
            }
            let ip = IPAddress.v6(address, zone: 0)
            #expect(IPAddress(ip.description) == ip, "\(ip)")
        }
    }
}
