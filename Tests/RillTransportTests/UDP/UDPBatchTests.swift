import Foundation
import Glibc
import RillCore
import RillTestSupport
import Testing

@testable import RillTransport

@Suite struct UDPBatchTests {
    static let loopbacks = [UDPAddress(.loopback, port: 0), UDPAddress(.loopbackV6, port: 0)]

    private func socket(_ address: UDPAddress = loopbacks[0]) throws -> UDPSocket {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 4 << 20
        return try UDPSocket(boundTo: address, settings: settings)
    }

    /// All that comes within a second of silence, or `count` datagrams.
    private func received(
        _ transport: some DatagramTransport, _ count: Int, capacity: Int = 32
    ) throws -> [(bytes: [UInt8], source: UDPAddress, mark: TrafficClass)] {
        var batch = IncomingDatagrams(capacity: capacity)
        var all: [(bytes: [UInt8], source: UDPAddress, mark: TrafficClass)] = []
        while all.count < count, case .received = try transport.receive(into: &batch, within: .seconds(5)) {
            for index in batch.indices {
                all.append((batch.bytes(at: index).array, batch.source(at: index), batch.trafficClass(at: index)))
            }
        }
        return all
    }

    private func datagram(_ number: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
    }

    @Test(arguments: loopbacks, [false, true])
    func `A burst is sent with one call and received with few, complete and in order`(
        address: UDPAddress, isConnected: Bool
    ) throws {
        let far = try socket(address)
        let near: any DatagramTransport =
            isConnected ? try ConnectedUDPSocket(to: far.localAddress) : try socket(address)
        var batch = OutgoingDatagrams(capacity: 70)
        // A frame of 60 packets of one size and a shorter one, and nine of all sizes, equal ones among them.
        let sizes = Array(repeating: 1200, count: 60) + [700, 1, 1, 1, 9, 1500, 1500, 2, 1536, 800]
        let datagrams = sizes.enumerated().map { datagram($0.offset, $0.element) }
        for bytes in datagrams {
            batch.append(to: isConnected ? nil : far.localAddress) { $0.append(copying: bytes.span) }
        }
        #expect(near.send(&batch) == .sent && batch.isEmpty)
        let came = try received(far, 70)
        #expect(came.map(\.bytes) == datagrams)
        #expect(came.allSatisfy { $0.source.port == near.localAddress.port && $0.source.ip == address.ip })
        #expect(near.statistics.sendCalls == 1 && near.statistics.sent == 70)
        #expect(near.statistics.sentBytes == sizes.reduce(0, +) && far.statistics.receivedBytes == sizes.reduce(0, +))
        #expect(far.statistics.receiveCalls <= 4 && far.statistics.waitCalls <= 1 && far.statistics.received == 70)
    }

    @Test func `Each datagram is sent to its address`() throws {
        let far = try (0..<3).map { _ in try socket() }
        let near = try socket()
        var batch = OutgoingDatagrams()
        for number in 0..<30 {
            batch.append(to: far[number * 7 / 5 % 3].localAddress) { $0.append(repeating: UInt8(number), count: 500) }
        }
        #expect(near.send(&batch) == .sent)
        for (place, socket) in far.enumerated() {
            let expected = (0..<30).filter { $0 * 7 / 5 % 3 == place }
            #expect(try received(socket, expected.count).map { Int($0.bytes[0]) } == expected)
        }
        #expect(near.statistics.sendCalls == 1)
    }

    @Test func `A socket of version 6 speaks to both versions`() throws {
        let both = try socket(UDPAddress(.v6(0, zone: 0), port: 0))
        let (four, six) = (try socket(Self.loopbacks[0]), try socket(Self.loopbacks[1]))
        var batch = OutgoingDatagrams()
        let mark = TrafficClass(dscp: .voice, ecn: .capable0)
        for address in [four.localAddress, six.localAddress] {
            batch.append(to: address, trafficClass: mark) { $0.append(1) }
        }
        #expect(both.send(&batch) == .sent)
        #expect(try received(four, 1).map(\.mark) == [mark])
        #expect(try received(six, 1).map(\.mark) == [mark])
        for (socket, ip) in [(four, IPAddress.loopback), (six, .loopbackV6)] {
            batch.append(to: UDPAddress(ip, port: both.localAddress.port), trafficClass: mark) { $0.append(2) }
            #expect(socket.send(&batch) == .sent)
            let came = try received(both, 1)
            #expect(came.map(\.source) == [socket.localAddress] && came.map(\.mark) == [mark])
        }
        // One datagram a call, too.
        var bytes: [UInt8] = []
        try both.send([3].span, to: four.localAddress)
        #expect(try four.receive(into: &bytes, within: .seconds(5))?.byteCount == 1)
        try four.send([4].span, to: UDPAddress(.loopback, port: both.localAddress.port))
        #expect(try both.receive(into: &bytes, within: .seconds(5))?.source == four.localAddress)
        var settings = UDPSocket.Settings()
        settings.onlyIPv6 = true
        let only = try UDPSocket(boundTo: UDPAddress(.v6(0, zone: 0), port: 0), settings: settings)
        let error = #expect(throws: TransportError.self) { try only.send([1].span, to: four.localAddress) }
        guard case .socketFailed(.send, _, _)? = error else { Issue.record("\(String(describing: error))"); return }
    }

    @Test(arguments: loopbacks)
    func `DSCP marks are set for a socket or a datagram, and reported`(address: UDPAddress) throws {
        var settings = UDPSocket.Settings()
        settings.trafficClass = TrafficClass(dscp: .video, ecn: .capable1)
        let far = try socket(address)
        let near = try UDPSocket(boundTo: address, settings: settings)
        var batch = OutgoingDatagrams()
        let marks = [nil, nil, TrafficClass(dscp: .voice), nil, TrafficClass(ecn: .congestionExperienced)]
        for mark in marks { batch.append(to: far.localAddress, trafficClass: mark) { $0.append(1) } }
        #expect(near.send(&batch) == .sent)
        #expect(try received(far, marks.count).map(\.mark) == marks.map { $0 ?? settings.trafficClass })
        #expect(far.statistics.congestionMarks == 1 && near.statistics.sendCalls == 1)
    }

    @Test func `Datagrams that the system never accepts are dropped and counted, and all others leave`() throws {
        let far = try socket()
        let near = try socket()
        var batch = OutgoingDatagrams(capacity: 64, datagramByteCount: 65_600)
        for number in 0..<10 {
            let isTooLong = number == 3 || number == 7
            batch.append(to: far.localAddress) { $0.append(repeating: UInt8(number), count: isTooLong ? 65_550 : 300) }
        }
        #expect(near.send(&batch) == .refused(count: 2, .socketFailed(.send, far.localAddress, code: EMSGSIZE)))
        #expect(batch.isEmpty && near.statistics.failed == 2 && near.statistics.sent == 8)
        #expect(try received(far, 8).map { $0.bytes[0] } == [0, 1, 2, 4, 5, 6, 8, 9])
        // There is no destination.
        for _ in 0..<3 { batch.append { $0.append(1) } }
        #expect(near.send(&batch) == .refused(count: 3, .socketFailed(.send, nil, code: EDESTADDRREQ)))
        // None of several longer ones can be split off one message: they go one by one.
        for number in 0..<3 {
            batch.append(to: far.localAddress) { $0.append(repeating: UInt8(number), count: 40_000) }
        }
        #expect(near.send(&batch) == .sent)
        var bytes: [UInt8] = []
        for number in 0..<3 {
            #expect(try far.receive(into: &bytes, within: .seconds(5))?.byteCount == 40_000 && bytes[0] == number)
        }
    }

    /// On loopback UDP's buffer is empty as soon as a call returns. That of a local socket fills when it is not read;
    /// so its descriptor replaces the UDP socket's.
    @Test func `A full buffer is an answer, and a wait is never made`() throws {
        let near = try ConnectedUDPSocket(to: try socket().localAddress)
        var pair: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        try #require(dup2(pair[0], near.descriptor.number) == near.descriptor.number)
        // No two of one size: splitting messages is UDP's.
        func fill(_ batch: inout OutgoingDatagrams) {
            for number in 0..<64 { batch.append { $0.append(repeating: UInt8(number), count: 1000 + number) } }
        }
        var batch = OutgoingDatagrams()
        var outcome = SendOutcome.sent
        var total = 0
        let start = monotonicNanoseconds()
        while outcome == .sent, total < 100_000 {
            fill(&batch)
            outcome = near.send(&batch)
            total += 64
        }
        #expect(monotonicNanoseconds() - start < 20_000_000_000)
        let statistics = near.statistics
        #expect(outcome == .bufferFull(remaining: batch.count) && batch.count > 0)
        #expect(
            statistics.sent == total - batch.count && statistics.bufferFull == batch.count && statistics.failed == 0)
        // The rest starts with the first datagram that was not sent, and is sent when there is room.
        let first = batch.bytes(at: 0)[0]
        #expect(first == UInt8(64 - batch.count))
        var bytes = [UInt8](repeating: 0, count: 2000)
        for _ in 0..<statistics.sent { #expect(unsafe recv(pair[1], &bytes, bytes.count, 0) > 0) }
        while near.send(&batch) != .sent {
            while unsafe recv(pair[1], &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        }
        #expect(near.statistics.sent == total && batch.count == 0)
        // A sink counts it too, and goes on.
        var packets = 0
        while near.statistics.bufferFull == statistics.bufferFull, packets < 100_000 {
            near.send([1, 2, 3].span, at: .zero)
            packets += 1
        }
        #expect(near.statistics.bufferFull > statistics.bufferFull && near.statistics.failed == 0)
    }

    @Test func `A closed port is counted, and stops nothing`() throws {
        let gone = try socket().localAddress
        let near = try ConnectedUDPSocket(to: gone)
        var batch = OutgoingDatagrams()
        for _ in 0..<4 {
            for _ in 0..<3 { batch.append { $0.append(1) } }
            #expect(near.send(&batch) == .sent)
            usleep(10_000)
        }
        #expect(near.statistics.sent == 12 && near.statistics.refused >= 1)
        var incoming = IncomingDatagrams()
        #expect(try near.receive(into: &incoming, within: .milliseconds(20)) == .nothing)
        let back = try socket(gone)
        batch.append { $0.append(2) }
        #expect(near.send(&batch) == .sent)
        #expect(try received(back, 1).map(\.bytes) == [[2]])
    }

    @Test func `A too long datagram is dropped and counted, its neighbors arrive`() throws {
        let (near, far) = (try socket(), try socket())
        var batch = OutgoingDatagrams(capacity: 8, datagramByteCount: 4000)
        for count in [10, 3000, 20, 2048, 2049, 30] {
            batch.append(to: far.localAddress) { $0.append(repeating: 1, count: count) }
        }
        _ = near.send(&batch)
        #expect(try received(far, 4).map(\.bytes.count) == [10, 20, 2048, 30])
        #expect(far.statistics.truncated == 2 && far.statistics.received == 4)
        // One that is empty is none.
        try near.send([UInt8]().span, to: far.localAddress)
        var incoming = IncomingDatagrams()
        #expect(try far.receive(into: &incoming, within: .milliseconds(10)) == .nothing)
    }

    @Test(arguments: [0, 1, 3, 20, 150])
    func `A timeout returns nothing, and not much later`(milliseconds: Int) throws {
        let far = try socket()
        var incoming = IncomingDatagrams()
        for _ in 0..<3 {
            let start = LiveTime.now
            #expect(try far.receive(into: &incoming, within: .milliseconds(milliseconds)) == .nothing)
            let waited = LiveTime.now - start
            #expect(waited >= Int64(milliseconds) * 1_000_000, "\(waited) ns")
            #expect(waited < Int64(milliseconds) * 1_000_000 + 2_000_000_000, "\(waited) ns")
        }
    }

    @Test func `A waiting thread is notified that the transport closed`() async throws {
        for isConnected in [false, true] {
            let other = try socket()
            let transport: any DatagramTransport =
                isConnected ? try ConnectedUDPSocket(to: other.localAddress) : try socket()
            // Threads of their own: who waits in one of the pool's may keep the one that closes from ever running.
            async let closed = onOwnThread {
                var incoming = IncomingDatagrams()
                // Another test may still send to a port that it had before, and other tests may keep this one from
                // closing it for long.
                while true {
                    let outcome = try transport.receive(into: &incoming, within: .seconds(60))
                    if outcome == .closed { return LiveTime.now }
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            let start = LiveTime.now
            transport.close()
            #expect(try await closed - start < 20_000_000_000)
            var incoming = IncomingDatagrams()
            #expect(try transport.receive(into: &incoming, within: .seconds(60)) == .closed)
        }
    }

    /// Datagrams that arrive evenly take one call each, with any timeout.
    @Test func `Datagrams that come evenly take a call each, bursts a quarter of one`() async throws {
        let (near, far) = (try socket(), try socket())
        let count = 200
        let target = far.localAddress
        // Not in one of the pool's threads, which may all wait in tests, as this one does.
        Thread.detachNewThread {
            for number in 0..<count {
                usleep(3000)
                do { try near.send([UInt8(number)].span, to: target) } catch { Issue.record(error) }
            }
        }
        var incoming = IncomingDatagrams()
        // The thread has to begin, which may take long.
        while try far.receive(into: &incoming, within: .seconds(1)) == .nothing {}
        let before = far.statistics
        var total = before.received
        while total < count {
            // A session's timeout is different each time.
            let timeout = MediaDuration.milliseconds(40 + total * 7 % 60)
            if case .received(let some) = try far.receive(into: &incoming, within: timeout) { total += some }
        }
        let even = far.statistics
        let evenCalls = even.receiveCalls + even.waitCalls - before.receiveCalls - before.waitCalls
        #expect(Double(evenCalls) <= 1.1 * Double(count), "\(evenCalls) calls")
        var batch = OutgoingDatagrams()
        for _ in 0..<20 {
            for _ in 0..<10 { batch.append(to: target) { $0.append(repeating: 1, count: 1200) } }
            #expect(near.send(&batch) == .sent)
            usleep(3000)
            var rest = 10
            while rest > 0, case .received(let some) = try far.receive(into: &incoming, within: .milliseconds(100)) {
                rest -= some
            }
        }
        let calls = far.statistics.receiveCalls + far.statistics.waitCalls - even.receiveCalls - even.waitCalls
        #expect(far.statistics.received == count + 200 && calls <= 50, "\(calls) calls")
    }

    @Test func `How long a call waits changes seldom`() {
        #expect(
            SocketDescriptor.callTimeout(0, current: 0) == nil && SocketDescriptor.callTimeout(-5, current: 8) == nil)
        #expect(SocketDescriptor.callTimeout(1, current: 0) == 1 && SocketDescriptor.callTimeout(100, current: 0) == 64)
        // Never longer than wanted, and not for too small a part of it.
        #expect(
            SocketDescriptor.callTimeout(65, current: 64) == 64 && SocketDescriptor.callTimeout(63, current: 64) == 32)
        #expect(
            SocketDescriptor.callTimeout(500, current: 64) == 64
                && SocketDescriptor.callTimeout(5000, current: 64) == 1024)
        #expect(SocketDescriptor.callTimeout(.max, current: 1024) == 1024)
        for wanted in 1...3000 {
            for current in [0, 1, 2, 8, 64, 512, 1024] {
                let timeout = SocketDescriptor.callTimeout(wanted, current: current) ?? 0
                #expect(timeout >= 1 && timeout <= wanted && timeout * 8 >= min(wanted, 1000))
            }
        }
    }
}

/// The monotonic clock, in nanoseconds.
private enum LiveTime {
    static var now: Int64 { monotonicNanoseconds() }
}
