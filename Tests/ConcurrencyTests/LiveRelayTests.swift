import RillCore
import RillLink
import RillTestSupport
import RillTransport
import Testing

@testable import RillLab

/// A relay between real sockets, in real time.
@Suite struct LiveRelayTests {
    private let folder = TemporaryFolder()
    private static let network =
        "burst=6%/2,loss=4%,delay=20ms,jitter=6ms,order=by-delay,reorder=4%,duplicate=4%,corrupt=4%"

    private func socket(_ ip: IPAddress = .loopback) throws -> UDPSocket {
        try UDPSocket(boundTo: UDPAddress(ip, port: 0))
    }

    private func settings(
        _ network: String, to: UDPSocket, listen: UDPAddress = UDPAddress(.loopback, port: 0)
    ) throws -> RelaySettings {
        var settings = RelaySettings(network: try LinkSettings(notation: network))
        settings.addPair(listen: listen, to: to.localAddress)
        return settings
    }

    private func records(_ path: String) throws -> [RelayRecord] {
        try #require(RelayLog.records(in: String(decoding: try read(path), as: UTF8.self)))
    }

    /// What has come to a socket, once there is so much.
    private func received(_ count: Int, at socket: UDPSocket) async throws -> [[UInt8]] {
        var (all, bytes): ([[UInt8]], [UInt8]) = ([], [])
        // Who gets fewer than he looks for fails where he compares them.
        _ = try await eventually {
            while all.count < count, (try? socket.receive(into: &bytes, within: .zero)) != nil { all.append(bytes) }
            return all.count >= count
        }
        return all
    }

    @Test func `Loss and order in both directions are exactly those of the links in virtual time`() async throws {
        let (near, far) = (try socket(), try socket())
        let path = folder.path("relay.csv")
        let log = try RelayLog(path: path, name: path)
        let relay = try LiveRelay(try settings(Self.network + ",rate=3M,seed=7", to: far), log: log)
        let port = relay.settings.pairs[0].listen
        for number in 0..<500 {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 700)
            try near.send(bytes.span, to: port)
            try far.send(bytes.span, to: port)
            if number % 3 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        let isDone = try await eventually {
            let meters = relay.report.meters[0]
            return meters.forward.link.sent == 500 && meters.forward.onTheWay + meters.back.onTheWay == 0
        }
        relay.stop()
        try log.finish()
        let records = try self.records(path)
        let pair = relay.settings.pairs[0]
        for (direction, network) in [(RelayDirection.forward, pair.network), (.return, pair.returnNetwork)] {
            let replay = RelayReplay(records, pair: 0, direction, over: network)
            #expect(replay.logged == replay.replayed && replay.logged.count >= 500, "\(direction)")
            #expect(replay.logged.count { $0.outcome == .lost } > 20, "\(direction)")
        }
        let lost = RelayDirection.allCases.map { direction in
            records.filter { $0.outcome == .lost && $0.direction == direction }.map(\.number)
        }
        #expect(isDone && lost[0] != lost[1], "the directions have chances of their own")
        // What the log says has left is what came, in its order.
        let left = records.filter { $0.direction == .forward && $0.departure != nil }.map(\.byteCount)
        let arrived = try await received(left.count, at: far).map(\.count)
        #expect(arrived == left && relay.report.meters[0].forward.left == left.count)
    }

    @Test func `Empty and the largest datagrams get through as they are`() async throws {
        let (near, far) = (try socket(), try socket())
        let relay = try LiveRelay(try settings("delay=5ms", to: far))
        let port = relay.settings.pairs[0].listen
        let sizes = [0, 1, 1500, 2049, 65_507, 0]
        for size in sizes { try near.send([UInt8](repeating: 7, count: size).span, to: port) }
        let there = try await received(sizes.count, at: far)
        #expect(there.map(\.count) == sizes && there.allSatisfy { $0.allSatisfy { $0 == 7 } })
        for size in sizes { try far.send([UInt8](repeating: 8, count: size).span, to: port) }
        let back = try await received(sizes.count, at: near)
        #expect(back.map(\.count) == sizes && back.allSatisfy { $0.allSatisfy { $0 == 8 } })
        relay.stop()
    }

    @Test(arguments: [false, true])
    func `With NAT each of several senders gets its own packets, without NAT the last one gets all`(usesNAT: Bool)
        async throws
    {
        let (senders, far) = (try (0..<5).map { _ in try socket() }, try socket())
        var settings = try settings("delay=2ms", to: far)
        settings.usesNAT = usesNAT
        let relay = try LiveRelay(settings)
        let port = relay.settings.pairs[0].listen
        var sources: [String: Int] = [:]
        for (number, sender) in senders.enumerated() {
            try sender.send([UInt8(number)].span, to: port)
            var bytes: [UInt8] = []
            var source: UDPAddress?
            _ = try await eventually {
                source = (try? far.receive(into: &bytes, within: .zero))?.source
                return source != nil
            }
            let found = try #require(source.map { "\($0)" }, "nothing came")
            sources[found] = Int(bytes[0])
        }
        #expect(sources.count == (usesNAT ? 5 : 1))
        for (text, number) in sources {
            let source = try UDPAddress.resolve(text)
            try far.send([UInt8(100 + number)].span, to: source)
        }
        for number in 0..<5 where usesNAT {
            let mine = try await received(1, at: senders[number])
            #expect(mine == [[UInt8(100 + number)]])
        }
        let last = usesNAT ? [] : try await received(1, at: senders[4])
        #expect(last == (usesNAT ? [] : [[104]]))
        relay.stop()
        #expect(relay.report.senderCounts == [usesNAT ? 5 : 0])
    }

    @Test func `Versions of IP that differ meet over a second socket`() async throws {
        let (near, far) = (try socket(), try socket(.loopbackV6))
        let relay = try LiveRelay(try settings("", to: far))
        try near.send([1, 2].span, to: relay.settings.pairs[0].listen)
        var (bytes, source): ([UInt8], UDPAddress?) = ([], nil)
        _ = try await eventually {
            source = (try? far.receive(into: &bytes, within: .zero))?.source
            return source != nil
        }
        #expect(bytes == [1, 2])
        let address = try #require(source.map { "\($0)" })
        try far.send([3].span, to: try UDPAddress.resolve(address))
        let back = try await received(1, at: near)
        #expect(back == [[3]])
        relay.stop()
    }

    @Test func `A closed port is counted, and the relay continues`() async throws {
        let (near, far) = (try socket(), try socket())
        let gone = try socket()
        var settings = try settings("", to: gone)
        settings.usesNAT = true
        settings.addPair(listen: UDPAddress(.loopback, port: 0), to: far.localAddress)
        let nobody = "\(gone.localAddress)"
        _ = consume gone
        let relay = try LiveRelay(settings)
        #expect("\(relay.settings.pairs[0].to)" == nobody)
        for _ in 0..<20 {
            try near.send([1].span, to: relay.settings.pairs[0].listen)
            try near.send([2].span, to: relay.settings.pairs[1].listen)
            try await Task.sleep(for: .milliseconds(2))
        }
        let there = try await received(20, at: far)
        let isCounted = try await eventually { relay.report.refusedByICMP > 0 }
        relay.stop()
        #expect(there.count == 20 && isCounted && relay.failure == nil && relay.report.refusedByICMP > 0)
    }

    @Test func `A relay that leads to itself, and a port that is taken, are refused`() throws {
        let taken = try socket()
        var reason: RelayError?
        do { _ = try LiveRelay(try settings("", to: taken, listen: taken.localAddress)) } catch let error as RelayError
        {
            reason = error
        }
        guard case .socketFailed(pair: 0, .socketFailed(.bind, _, _)) = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
        let port = try socket().localAddress.port
        for (listen, to) in [
            (IPAddress.loopback, IPAddress.loopback), (.v4(0), .loopback), (.v6(0, zone: 0), .loopbackV6),
        ] {
            var settings = RelaySettings()
            settings.addPair(listen: UDPAddress(listen, port: port), to: UDPAddress(to, port: port))
            do {
                _ = try LiveRelay(settings)
                Issue.record("a relay that leads to itself was made")
            } catch { reason = error }
            #expect(reason == .loop(pair: 0))
        }
    }

    @Test func `It can be stopped at any time, and reports what is left`() async throws {
        let (near, far) = (try socket(), try socket())
        let path = folder.path("relay.csv")
        let log = try RelayLog(path: path, name: path)
        let relay = try LiveRelay(try settings("delay=30s", to: far), log: log)
        for number in 0..<100 { try near.send([UInt8(number)].span, to: relay.settings.pairs[0].listen) }
        let haveCome = try await eventually { relay.progress.onTheWay == 100 }
        relay.stop()
        try log.finish()
        let outcomes = try records(path).map(\.outcome)
        #expect(haveCome && outcomes == [RelayRecord.Outcome](repeating: .abandoned, count: 100))
        // One that is not stopped ends by itself.
        _ = try LiveRelay(try settings("", to: far))
    }
}
