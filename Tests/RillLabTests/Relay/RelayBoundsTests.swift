import RillCore
import RillLink
import Testing

@testable import RillLab

/// Relays behind which many stand, or who pretend to be many.
@Suite struct RelayBoundsTests {
    private func natRun(_ network: String = "", limit: Int = 256) throws -> RelayRun {
        try RelayRun(network) {
            $0.usesNAT = true
            $0.senderLimit = limit
        }
    }

    @Test func `With NAT each sender has its own socket, and gets what arrives there`() throws {
        let run = try natRun("delay=5ms")
        for number in [1, 2, 1, 3, 2] { run.receive([UInt8(number)], from: RelayRun.sender(number), now: .zero) }
        run.poll(until: .zero + .milliseconds(10))
        let sockets = run.departures.map { "\($0.socket)" }
        #expect(sockets == [0, 1, 0, 2, 1].map { "sender(pair: 0, number: \($0))" })
        for number in [2, 0, 1] {
            run.receive(
                [9], from: RelayRun.to, at: .sender(pair: 0, number: number), now: .zero + .milliseconds(20))
        }
        run.receive([9], from: RelayRun.sender(7), at: .sender(pair: 0, number: 1), now: .zero + .milliseconds(20))
        run.receive([9], from: RelayRun.to, at: .sender(pair: 0, number: 44), now: .zero + .milliseconds(20))
        run.poll(until: .zero + .milliseconds(50))
        let back = run.departures.filter { $0.direction == .return }.map { "\($0.destination) \($0.socket)" }
        #expect(back == [3, 1, 2].map { "10.0.0.\($0):7000 listening(pair: 0)" })
        #expect(run.relay.meters[0].back.fromUnknownSenders == 2 && run.relay.senderCounts == [3])
    }

    @Test func `Ten thousand senders do not exceed the limit, and end no existing relay`() throws {
        let run = try natRun(limit: 100)
        var refused = 0
        for number in 0..<10_000 {
            let receipt = run.receive([1], from: RelayRun.sender(number), now: .zero + .milliseconds(number))
            if case .refused(.tooManySenders) = receipt { refused += 1 }
            run.receive([2], from: RelayRun.sender(0), now: .zero + .milliseconds(number))
        }
        #expect(refused == 9900 && run.relay.senderCounts == [100])
        #expect(run.relay.meters[0].forward.fromTooManySenders == 9900)
        let sockets = Set(run.departures.map { "\($0.socket)" })
        #expect(sockets.count == 100)
    }

    @Test func `Ten thousand senders without NAT leave the last one's address and no more`() throws {
        let run = try RelayRun("")
        for number in 0..<10_000 { run.receive([1], from: RelayRun.sender(number), now: .zero) }
        run.receive([2], from: RelayRun.to, now: .zero)
        run.poll(until: .zero + .seconds(1))
        let last = try #require(run.departures.last)
        let destination = "\(last.destination)"
        #expect(destination == "\(RelayRun.sender(9999))" && run.departures.count == 10_001)
    }

    @Test func `A sender is forgotten when it was idle, not while its datagrams are on their way`() throws {
        let run = try natRun("rate=2M/0@1s/2M@400s")
        run.receive([1], from: RelayRun.sender(1), now: .zero)
        run.receive([2], from: RelayRun.sender(2), now: .zero + .seconds(2))
        run.receive([3], from: RelayRun.sender(3), now: .zero)
        // What comes back counts as well.
        run.receive([4], from: RelayRun.to, at: .sender(pair: 0, number: 0), now: .zero + .seconds(60))
        run.poll(until: .zero + .seconds(119))
        #expect(run.closed.isEmpty)
        run.poll(until: .zero + .seconds(122))
        let first = run.closed.map { "\($0)" }
        #expect(first.isEmpty, "all have something on their way: \(first)")
        run.poll(until: .zero + .seconds(500))
        #expect(run.closed.count == 3 && run.relay.senderCounts == [0])
        #expect(run.relay.wakeTime == .distantFuture, "no sender is left to look for")
        run.receive([5], from: RelayRun.sender(1), now: .zero + .seconds(600))
        run.poll(until: .zero + .seconds(601))
        let again = run.departures.last.map { "\($0.socket)" }
        #expect(again == "sender(pair: 0, number: 3)", "numbers are not used twice")
    }

    @Test func `A full link rejects packets, and the relay continues`() throws {
        let run = try RelayRun("delay=60s")
        let datagram = [UInt8](repeating: 1, count: 65_507)
        for _ in 0..<2000 { run.receive(datagram, now: .zero) }
        run.receive([UInt8](repeating: 1, count: 65_508), now: .zero)
        run.receive([], now: .zero)
        let meter = run.relay.meters[0].forward
        #expect(meter.link.refusedAsFull == 2000 - (64 << 20) / 65_507 && meter.link.refusedAsTooLarge == 1)
        run.poll(until: .zero + .seconds(61))
        #expect(run.contents.last == [] && run.contents.count == (64 << 20) / 65_507 + 1)
    }

    @Test func `A record describes the outcome of a datagram in one line`() throws {
        let run = try RelayRun("delay=40ms,duplicate=100%,corrupt=100%")
        let receipt = run.receive([1, 2, 3], now: .zero)
        guard case .sent(let entry) = receipt else { throw CancellationError() }
        #expect(RelayRecord(entry) == nil, "what is on its way has no outcome yet")
        run.poll(until: .zero + .seconds(1))
        let lines = run.departures.map { RelayRecord($0).line }
        #expect(
            lines == [
                "1,forward,0,3,0.000000000,delivered,corrupted+duplicated,0.040000000,0.040000000,",
                "1,forward,0,3,0.000000000,copy,corrupted,0.041000000,0.041000000,",
            ])
        let lost = try RelayRun("loss=100%").receive([1], now: .zero)
        guard case .sent(let gone) = lost else { throw CancellationError() }
        #expect(RelayRecord(gone)?.line == "1,forward,0,1,0.000000000,lost,random,,,")
        let refused = RelayRecord(.noPeer, pair: 2, byteCount: 7, at: .zero + .milliseconds(1500))
        #expect(refused.line == "3,return,,7,1.500000000,refused,no-peer,,,")
        #expect(RelayRecord(line: refused.line) == refused)
        #expect(lines.map { RelayRecord(line: $0)?.line } == lines)
        for bad in [
            "", RelayRecord.columns, "1,forward,0,1,0.1,lost,random,,,", "1,forward,0,1,0.100000000,lost,random,,,0.1",
            "0" + refused.line.dropFirst(),
            refused.line + ",",
        ] {
            #expect(RelayRecord(line: bad) == nil, "\(bad)")
        }
        let columns = RelayRecord.columns.split(separator: ",").count
        #expect(refused.line.split(separator: ",", omittingEmptySubsequences: false).count == columns)
    }
}
