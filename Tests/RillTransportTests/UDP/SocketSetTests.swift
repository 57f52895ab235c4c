import RillCore
import Testing

@testable import RillTransport

@Suite struct SocketSetTests {
    private func socket() throws -> UDPSocket { try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)) }

    /// The result of a wait of that many milliseconds, and its duration.
    private func wait(_ set: SocketSet, milliseconds: Int64) throws -> (keys: Set<Int>, milliseconds: Double) {
        var keys: Set<Int> = []
        let start = monotonicNanoseconds()
        try set.wait(untilMonotonic: start + milliseconds * 1_000_000) { keys.insert($0) }
        return (keys, Double(monotonicNanoseconds() - start) / 1e6)
    }

    @Test func `It reports sockets with datagrams until they are read`() throws {
        let (set, sockets) = (try SocketSet(), try (0..<5).map { _ in try socket() })
        for (key, socket) in sockets.enumerated() { try set.add(socket, key: key) }
        for key in [1, 3, 3] { try sockets[0].send([7].span, to: sockets[key].localAddress) }
        var bytes: [UInt8] = []
        let first = try wait(set, milliseconds: 5000)
        #expect(first.keys == [1, 3] && first.milliseconds < 4000)
        let isRead = try sockets[1].receive(into: &bytes, within: .zero) != nil
        #expect(isRead)
        let second = try wait(set, milliseconds: 5000).keys
        #expect(second == [3])
    }

    @Test func `It waits until the deadline, to the fraction of a millisecond, and not at all for one that has passed`()
        throws
    {
        let set = try SocketSet()
        let start = monotonicNanoseconds()
        try set.wait(untilMonotonic: start + 1_300_000) { _ in }
        #expect(monotonicNanoseconds() - start >= 1_300_000)
        let none = try wait(set, milliseconds: -5)
        #expect(none.keys.isEmpty && none.milliseconds < 1000)
    }

    @Test func `A wake ends one wait, before it or during it`() throws {
        let set = try SocketSet()
        set.wake()
        set.wake()
        let woken = try wait(set, milliseconds: 60_000)
        #expect(woken.keys.isEmpty && woken.milliseconds < 30_000)
        let slept = try wait(set, milliseconds: 20)
        #expect(slept.milliseconds >= 20, "two wakes before a wait are one")
    }

    @Test func `A socket that is gone has left the set`() throws {
        let (set, sender) = (try SocketSet(), try socket())
        var second: UDPSocket? = try socket()
        try set.add(try #require(second), key: 2)
        try sender.send([7].span, to: try #require(second).localAddress)
        second = nil
        let keys = try wait(set, milliseconds: 20).keys
        #expect(keys.isEmpty)
    }

    @Test func `Batches hold datagrams without a byte where they are asked to`() throws {
        let (near, far) = (try socket(), try socket())
        for count in [0, 3, 0] {
            _ = try near.sendAtOnce([UInt8](repeating: 1, count: count).span, to: far.localAddress)
        }
        var all = IncomingDatagrams(capacity: 8, datagramByteCount: 100, holdsEmpty: true)
        let outcome = try far.receive(into: &all, within: .seconds(5))
        let sizes = all.indices.map { all.bytes(at: $0).count }
        #expect(outcome == .received(3) && sizes == [0, 3, 0])
        for count in [0, 3, 0] {
            _ = try near.sendAtOnce([UInt8](repeating: 1, count: count).span, to: far.localAddress)
        }
        var some = IncomingDatagrams()
        let second = try far.receive(into: &some, within: .seconds(5))
        #expect(second == .received(1))
    }
}
