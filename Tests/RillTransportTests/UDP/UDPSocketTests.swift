import Glibc
import RillCore
import RillTestSupport
import Testing

@testable import RillTransport

@Suite struct UDPSocketTests {
    static let loopbacks = [UDPAddress(.loopback, port: 0), UDPAddress(.loopbackV6, port: 0)]

    private func listener(_ address: UDPAddress = loopbacks[0]) throws -> UDPSocket { try UDPSocket(boundTo: address) }

    @Test(arguments: loopbacks)
    func `Datagrams go there and back over both versions of IP`(address: UDPAddress) throws {
        let far = try listener(address)
        #expect(far.localAddress.ip == address.ip && far.localAddress.port != 0)
        let near = try ConnectedUDPSocket(to: far.localAddress)
        #expect(near.remoteAddress == far.localAddress)
        var bytes: [UInt8] = []
        for datagram: [UInt8] in [[1, 2, 3], [], [UInt8](repeating: 7, count: 60000)] {
            try near.send(datagram.span)
            let received = try #require(try far.receive(into: &bytes, within: .seconds(10)))
            #expect(received == UDPSocket.Received(source: near.localAddress, byteCount: datagram.count))
            #expect(bytes == datagram)
            try far.send(datagram.span, to: received.source)
            #expect(try near.receive(into: &bytes, within: .seconds(10))?.source == far.localAddress)
            #expect(bytes == datagram)
        }
        #expect(near.statistics.sent == 3 && near.statistics.sentBytes == 60003)
        #expect(near.statistics.received == 3 && near.statistics.receivedBytes == 60003)
        #expect(near.statistics.refused == 0 && near.statistics.failed == 0)
    }

    @Test func `A timeout returns nothing, without an error`() throws {
        let socket = try listener()
        var bytes: [UInt8] = [1]
        #expect(try socket.receive(into: &bytes, within: .zero) == nil)
        #expect(try socket.receive(into: &bytes, within: .milliseconds(20)) == nil)
        #expect(try socket.receive(into: &bytes, within: MediaDuration(nanoseconds: -1)) == nil)
        #expect(bytes.isEmpty)
    }

    @Test func `A closed port is counted and stops nothing`() throws {
        let gone = try listener().localAddress
        let socket = try ConnectedUDPSocket(to: gone)
        // The refusal of one datagram comes back before or with the next.
        for _ in 0..<4 {
            try socket.send([1].span)
            usleep(10_000)
        }
        var bytes: [UInt8] = []
        #expect(try socket.receive(into: &bytes, within: .milliseconds(50)) == nil)
        #expect(socket.statistics.refused >= 1 && socket.statistics.sent == 4)
        // Now a socket listens there.
        let back = try listener(gone)
        try socket.send([2].span)
        #expect(try back.receive(into: &bytes, within: .seconds(10)) != nil)
        #expect(bytes == [2])
    }

    @Test func `System errors are thrown with their number, and counted for pipelines`() throws {
        let far = try listener()
        let socket = try ConnectedUDPSocket(to: far.localAddress)
        let tooLong = [UInt8](repeating: 0, count: 65_508)
        #expect(throws: TransportError.socketFailed(.send, far.localAddress, code: EMSGSIZE)) {
            try socket.send(tooLong.span)
        }
        socket.send(tooLong.span, at: .zero)
        #expect(socket.statistics.failed == 1 && socket.statistics.sent == 0)
        #expect(throws: TransportError.socketFailed(.bind, far.localAddress, code: EADDRINUSE)) {
            try UDPSocket(boundTo: far.localAddress)
        }
        let foreign = UDPAddress(.v4(0xC000_0201), port: 0)
        #expect(throws: TransportError.socketFailed(.bind, foreign, code: EADDRNOTAVAIL)) {
            try UDPSocket(boundTo: foreign)
        }
    }

    @Test func `Errors explain what to do`() {
        let error = TransportError.socketFailed(.bind, UDPAddress(.loopback, port: 5004), code: EADDRINUSE)
        #expect(
            error.description
                == "UDP 127.0.0.1:5004: cannot bind: Address already in use (errno 98); choose another port, or 0 for any"
        )
    }

    @Test func `Settings reach the socket`() throws {
        var settings = UDPSocket.Settings()
        settings.sharesPort = true
        settings.receiveBufferByteCount = 65536
        settings.sendBufferByteCount = 65536
        let first = try UDPSocket(boundTo: UDPSocketTests.loopbacks[0], settings: settings)
        // Without sharing, this is the error of the test above.
        let second = try UDPSocket(boundTo: first.localAddress, settings: settings)
        #expect(second.localAddress == first.localAddress)
    }

    /// Linux's own 208 KiB hold 92.
    @Test(.enabled(if: mayHoldMegabytes, "net.core.rmem_max allows no buffer of 4 MiB"))
    func `A large key frame is buffered completely until it is read`() throws {
        let far = try UDPSocket(boundTo: UDPSocketTests.loopbacks[0])
        let near = try ConnectedUDPSocket(to: far.localAddress)
        let packet = [UInt8](repeating: 7, count: 1200)
        for _ in 0..<600 { try near.send(packet.span) }
        var (bytes, count): ([UInt8], Int) = ([], 0)
        while try far.receive(into: &bytes, within: .zero) != nil { count += 1 }
        #expect(count == 600)
    }

    /// Not where the limit cannot be read either: then the test is skipped, and says so.
    private static let mayHoldMegabytes =
        (try? read("/proc/sys/net/core/rmem_max")).flatMap {
            Int(String(decoding: $0, as: UTF8.self).filter(\.isNumber))
        }.map { $0 >= 4 << 20 } ?? false

    @Test func `Pipelines send into it, as a sink or from a function`() throws {
        let far = try listener()
        let socket = try ConnectedUDPSocket(to: far.localAddress)
        // Datagrams that the network refuses are lost, as on the way.
        let tap = ConcurrentPacketTap { packet, _ in try? socket.send(packet) }
        let sinks: [any PacketSink & Sendable] = [tap, socket]
        var bytes: [UInt8] = []
        for (index, sink) in sinks.enumerated() {
            sink.send([UInt8(index)].span, at: .zero)
            #expect(try far.receive(into: &bytes, within: .seconds(10))?.source == socket.localAddress)
            #expect(bytes == [UInt8(index)])
        }
    }

    @Test func `Threads may send at once`() async throws {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 1 << 20
        let far = try UDPSocket(boundTo: UDPSocketTests.loopbacks[0], settings: settings)
        let near = try ConnectedUDPSocket(to: far.localAddress)
        await withTaskGroup { group in
            for sender in 0..<4 {
                group.addTask {
                    for number in 0..<50 { near.send([UInt8(sender), UInt8(number)].span, at: .zero) }
                }
            }
        }
        var bytes: [UInt8] = []
        var seen = Set<[UInt8]>()
        while seen.count < 200, try far.receive(into: &bytes, within: .seconds(5)) != nil { seen.insert(bytes) }
        #expect(seen.count == 200 && near.statistics.sent == 200)
    }

    @Test func `Names and numbers are resolved`() throws {
        #expect(try UDPAddress.resolve("192.0.2.1:5004") == UDPAddress(.v4(0xC000_0201), port: 5004))
        #expect(try UDPAddress.resolve("[::1]:9") == UDPAddress(.loopbackV6, port: 9))
        let local = try UDPAddress.resolve("localhost:5004")
        #expect(local.port == 5004 && (local.ip == .loopback || local.ip == .loopbackV6))
        for text in ["", "localhost", "localhost:", "::1:5", "a:b:5", "localhost:70000"] {
            #expect(throws: TransportError.invalidAddress(text)) { try UDPAddress.resolve(text) }
        }
        for text in ["[localhost]:5", "no.such.host.invalid:5"] {
            let error = #expect(throws: TransportError.self) { try UDPAddress.resolve(text) }
            guard case .hostNotFound? = error else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
        }
    }
}
