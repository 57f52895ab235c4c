import RillCore
import RillWHIP
import Testing

/// A limiter that expectations can change.
private final class Limiter {
    private(set) var state: AddressLimiter

    init(_ limits: AddressLimits) { state = AddressLimiter(limits) }

    func connect(_ address: IPAddress, at now: MediaTime) -> Bool { state.connect(address, at: now) }
    func disconnect(_ address: IPAddress) { state.disconnect(address) }
    func request(_ address: IPAddress, at now: MediaTime) -> AddressLimiter.RequestResult {
        state.request(address, at: now)
    }
}

/// The limits of an address, in virtual time.
@Suite struct AddressLimiterTests {
    private static let one = IPAddress.v4(0xC000_0201)
    private static let other = IPAddress.v4(0xC000_0202)

    private func limits(connections: Int = 3, rate: Int = 10, burst: Int = 20) -> AddressLimits {
        var limits = AddressLimits()
        (limits.connections, limits.requestsPerSecond, limits.requestBurst) = (connections, rate, burst)
        return limits
    }

    @Test func `The connections of each address are limited`() {
        let limiter = Limiter(limits())
        for _ in 0..<3 { #expect(limiter.connect(Self.one, at: .zero)) }
        #expect(!limiter.connect(Self.one, at: .zero) && limiter.connect(Self.other, at: .zero))
        limiter.disconnect(Self.one)
        #expect(limiter.connect(Self.one, at: .zero) && !limiter.connect(Self.one, at: .zero))
        #expect(limiter.state.refusedConnectionCount == 2)
        // An address without a connection is not disconnected.
        for _ in 0..<10 { limiter.disconnect(.v4(9)) }
        for _ in 0..<3 { #expect(limiter.connect(.v4(9), at: .zero)) }
        #expect(!limiter.connect(.v4(9), at: .zero))
    }

    @Test func `An address may send a burst, and then a limited rate of requests`() {
        let limiter = Limiter(limits())
        var allowed = 0
        // A thousand a second, for ten seconds.
        for index in 0..<10_000 {
            let now = MediaTime.zero + .milliseconds(index)
            if limiter.request(Self.one, at: now) == .allowed { allowed += 1 }
            if index % 100 == 0 { #expect(limiter.request(Self.other, at: now) == .allowed) }
        }
        #expect((119...121).contains(allowed) && limiter.state.refusedRequestCount == 10_000 - allowed)
        guard case .refused(let time) = limiter.request(Self.one, at: .zero + .milliseconds(9_999)) else {
            Issue.record("it is allowed")
            return
        }
        #expect(time > .zero && time <= .milliseconds(100))
        #expect(limiter.request(Self.one, at: .zero + .milliseconds(9_999) + time) == .allowed)
    }

    @Test func `A network of IPv6 is one address, and an address of IPv4 is the same in IPv6`() {
        let limiter = Limiter(limits())
        for host in 1...20 as ClosedRange<UInt128> {
            #expect(limiter.request(.v6((0x2001_0DB8 << 96) | host << 32, zone: 0), at: .zero) == .allowed)
        }
        #expect(limiter.request(.v6((0x2001_0DB8 << 96) | 99, zone: 5), at: .zero) != .allowed)
        #expect(limiter.request(.v6((0x2001_0DB8 << 96) | (1 << 64), zone: 0), at: .zero) == .allowed)
        for _ in 0..<20 { #expect(limiter.request(Self.one, at: .zero) == .allowed) }
        #expect(limiter.request(.v6((0xFFFF << 32) | 0xC000_0201, zone: 0), at: .zero) != .allowed)
        #expect(limiter.state.addressCount == 3)
    }

    @Test func `A million addresses leave ten thousand, and those with connections stay`() {
        let limiter = Limiter(limits())
        for _ in 0..<3 { #expect(limiter.connect(Self.one, at: .zero)) }
        var most = 0
        for index in 0..<1_000_000 {
            _ = limiter.request(.v4(UInt32(index) &* 2_654_435_761), at: .zero + .microseconds(index))
            if index % 1000 == 0 { most = max(most, limiter.state.addressCount) }
        }
        #expect(most <= AddressLimiter.maximumAddressCount && limiter.state.addressCount > 5000)
        #expect(limiter.state.evictedAddressCount > 0)
        #expect(!limiter.connect(Self.one, at: .zero + .seconds(1)))
        // Those that have rested are forgotten without being counted.
        let before = limiter.state.evictedAddressCount
        for index in 0..<20_000 { _ = limiter.request(.v4(UInt32(index)), at: .zero + .seconds(100 + index)) }
        #expect(limiter.state.evictedAddressCount == before)
    }
}

@Suite struct AllowedHostsTests {
    private static let loopback = AllowedHosts.loopback(and: ["rill.example.org", "10.0.0.7:8080"])

    @Test(arguments: [
        "localhost", "localhost:8080", "LocalHost:1", "127.0.0.1", "127.9.8.7:80", "[::1]", "[::1]:8080", "a.localhost",
        "rill.example.org", "Rill.Example.Org:443", "10.0.0.7:8080",
    ])
    func `Names of this machine, and those that were named, are allowed`(host: String) {
        #expect(Self.loopback.refusal(of: host) == nil)
    }

    @Test(arguments: [
        nil, "", "example.org", "evil.example.org:8080", "127.0.0.1.example.org", "localhost.example.org", "127.1",
        "[::2]", "[::1].example.org", "10.0.0.7", "127.0.0.1@example.org", "0.0.0.0", "evil rill.example.org",
    ])
    func `Other names are misdirected`(host: String?) {
        #expect(Self.loopback.refusal(of: host)?.isProblem(421) == true)
        #expect(AllowedHosts.any.refusal(of: host) == nil)
    }
}

@Suite struct TrustedProxiesTests {
    private func client(of peer: String?, _ forwardedFor: [String], trusting: [String] = ["127.0.0.1", "10.0.0.1"])
        -> String?
    {
        let proxies = TrustedProxies(Set(trusting.compactMap { IPAddress($0) }))
        return proxies.client(of: peer.flatMap { IPAddress($0) }, forwardedFor: forwardedFor)?.description
    }

    @Test func `Only what trusted proxies have written is believed`() {
        #expect(client(of: "127.0.0.1", ["192.0.2.1"], trusting: []) == "127.0.0.1")
        #expect(client(of: "192.0.2.9", ["192.0.2.1"]) == "192.0.2.9")
        #expect(client(of: "127.0.0.1", ["192.0.2.1"]) == "192.0.2.1")
        // The entries that the client itself has written come first.
        #expect(client(of: "127.0.0.1", ["1.1.1.1, 192.0.2.1"]) == "192.0.2.1")
        #expect(client(of: "127.0.0.1", ["1.1.1.1", "192.0.2.1 ,10.0.0.1"]) == "192.0.2.1")
        #expect(client(of: "127.0.0.1", ["192.0.2.1:5000"]) == "192.0.2.1")
        #expect(client(of: "127.0.0.1", ["[2001:db8::1]:5000"]) == "2001:db8::1")
        #expect(client(of: "127.0.0.1", ["2001:db8::1"]) == "2001:db8::1")
        for odd in [[], [""], ["unknown"], ["_hidden"], [",,,"], ["localhost"]] {
            #expect(client(of: "127.0.0.1", odd) == "127.0.0.1", "\(odd)")
        }
        #expect(client(of: nil, ["192.0.2.1"]) == nil)
    }
}
