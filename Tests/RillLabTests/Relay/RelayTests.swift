import RillCore
import RillLink
import Testing

@testable import RillLab

@Suite struct RelayTests {
    private static let network =
        "burst=5%/3,loss=2%,delay=40ms,jitter=10ms,order=by-delay,reorder=3%,duplicate=3%,corrupt=3%,rate=3M,"
        + "blackout=100ms@1s,spikes=50ms/700ms,wifi=1ms/9ms"

    /// Some seconds of datagrams of all sizes, at uneven times.
    private func arrivals(_ count: Int, seed: UInt64 = 1) -> [(time: MediaTime, datagram: [UInt8])] {
        var generator = SeededGenerator(seed: seed)
        var time = MediaTime.zero
        return (0..<count).map { number in
            defer { time += .microseconds(Int(generator.next() % 2000)) }
            let size = Int(generator.next() % 1400)
            return (time, [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
        }
    }

    @Test(arguments: [1, 7, 99] as [UInt64])
    func `Each datagram has the outcome, time, bytes and place that the link alone would give it`(seed: UInt64) throws {
        let text = RelayTests.network + ",seed=\(seed)"
        let run = try RelayRun(text)
        // The caller's clock stands anywhere.
        let start = MediaTime.zero + .seconds(12_345)
        let arrivals = arrivals(3000, seed: seed)
        for (time, datagram) in arrivals { run.receive(datagram, now: start + (time - .zero)) }
        run.poll(until: start + .seconds(100))
        let plain = PlainLink(try LinkSettings(notation: text), arrivals)
        #expect(run.trace() == plain.trace && plain.trace.count > 1000)
        #expect(run.contents == plain.contents)
        let meter = run.relay.meters[0].forward
        #expect(meter.link == plain.statistics && meter.left == plain.trace.count && meter.onTheWay == 0)
        #expect(meter.reordered > 0 && meter.lateness.maximum == 0)
        let ways = run.departures.map { "\($0.socket) \($0.destination)" }
        #expect(Set(ways) == ["listening(pair: 0) 127.0.0.1:9000"])
    }

    @Test func `Nothing changes where it is polled late, but the time of leaving`() throws {
        let (prompt, late) = try (RelayRun(RelayTests.network), RelayRun(RelayTests.network))
        for (time, datagram) in arrivals(2000) {
            prompt.receive(datagram, now: time)
            // Seldom polled: what is due waits.
            if time.nanoseconds % 16 == 0 { late.pollOnce(at: time) }
            late.relay.receive(datagram.span, from: RelayRun.sender(1), at: .listening(pair: 0), now: time)
        }
        prompt.poll(until: .zero + .seconds(100))
        late.pollOnce(at: .zero + .seconds(100))
        #expect(prompt.trace() == late.trace() && prompt.contents == late.contents)
        #expect(late.departures.allSatisfy { $0.departure >= $0.scheduled })
        let most = try #require(late.relay.meters[0].forward.lateness.maximum)
        #expect(most > 10)
    }

    @Test func `The schedule starts at the first datagram`() throws {
        let run = try RelayRun("blackout=1s@2s")
        let start = MediaTime.zero + .seconds(777)
        #expect(run.relay.wakeTime == .distantFuture && run.relay.scheduleStart == nil)
        // From the address, when there is no sender: it is not passed on.
        run.receive([0], from: RelayRun.to, now: .zero + .seconds(3))
        #expect(run.relay.scheduleStart == nil)
        for tenth in 0..<40 { run.receive([UInt8(tenth)], now: start + .milliseconds(100 * tenth)) }
        run.poll(until: start + .seconds(9))
        #expect(run.contents.map { Int($0[0]) } == Array(0..<20) + Array(30..<40))
        #expect(run.relay.scheduleStart == start)
    }

    @Test func `Packets from the address go to the other sender that was last active`() throws {
        let run = try RelayRun("delay=10ms", back: "delay=30ms")
        func refusal(_ receipt: RelayReceipt) -> RelayRefusal? {
            if case .refused(let why) = receipt { why } else { nil }
        }
        let early = refusal(run.receive([1], from: RelayRun.to, now: .zero))
        #expect(early == .noPeer)
        run.receive([2], from: RelayRun.sender(1), now: .zero + .seconds(1))
        run.receive([3], from: RelayRun.to, now: .zero + .seconds(2))
        run.receive([4], from: RelayRun.sender(2), now: .zero + .seconds(3))
        run.receive([5], from: RelayRun.to, now: .zero + .seconds(4))
        run.poll(until: .zero + .seconds(9))
        let seen = zip(run.departures, run.contents).map { departure, bytes in
            "\(bytes[0]) \(departure.direction) \(departure.destination) \(departure.scheduled - departure.arrival)"
        }
        #expect(
            seen
                == [
                    "2 forward 127.0.0.1:9000 10ms", "3 return 10.0.0.1:7000 30ms", "4 forward 127.0.0.1:9000 10ms",
                    "5 return 10.0.0.2:7000 30ms",
                ].map { $0 })
        #expect(run.relay.meters[0].back.withoutPeer == 1)
    }

    @Test func `One program at both ends does not get its own packets back`() throws {
        let run = try RelayRun("")
        for number in 0..<5 { run.receive([UInt8(number)], from: RelayRun.to, now: .zero + .seconds(number)) }
        run.poll(until: .zero + .seconds(9))
        #expect(run.departures.isEmpty && run.relay.meters[0].back.withoutPeer == 5)
    }

    @Test func `Directions and pairs have separate random numbers, which follow from the seed`() throws {
        func seeds(_ seed: UInt64) throws -> [UInt64] {
            var settings = RelaySettings(network: try LinkSettings(notation: "loss=10%,seed=\(seed)"))
            for _ in 0..<64 { settings.addPair(listen: RelayRun.listen, to: RelayRun.to) }
            return settings.pairs.flatMap { [$0.network.seed, $0.returnNetwork.seed] }
        }
        let all = try seeds(7)
        #expect(all[0] == 7 && Set(all).count == 128)
        #expect(try seeds(7) == all && seeds(8) != all)
        // The same words for both ways do not make them the same.
        var settings = RelaySettings(
            network: try LinkSettings(notation: "loss=10%"), returnNetwork: try LinkSettings(notation: "loss=10%"))
        settings.addPair(listen: RelayRun.listen, to: RelayRun.to)
        #expect(settings.pairs[0].network.seed != settings.pairs[0].returnNetwork.seed)
        #expect(settings.pairs[0].network.loss == settings.pairs[0].returnNetwork.loss)
    }

    @Test func `Several pairs run in parallel, each as it would alone`() throws {
        var settings = RelaySettings(network: try LinkSettings(notation: RelayTests.network))
        let ports = (0..<3).map { UDPAddress(.loopback, port: UInt16(9000 + $0)) }
        for port in ports { settings.addPair(listen: RelayRun.listen, to: port) }
        let run = RelayRun(settings)
        let arrivals = arrivals(1500)
        for (time, datagram) in arrivals {
            for pair in 0..<3 {
                run.receive(datagram, at: .listening(pair: pair), now: time)
                run.receive(datagram, from: ports[pair], at: .listening(pair: pair), now: time)
            }
        }
        run.poll(until: .zero + .seconds(100))
        for pair in 0..<3 {
            let forward = PlainLink(settings.pairs[pair].network, arrivals).trace
            let back = PlainLink(settings.pairs[pair].returnNetwork, arrivals).trace
            #expect(run.trace(.forward, pair: pair) == forward && run.trace(.return, pair: pair) == back)
            #expect(forward != back)
        }
        let traces = (0..<3).map { run.trace(.forward, pair: $0) }
        #expect(Set(traces).count == 3)
        // In the order of time over all pairs.
        #expect(zip(run.departures, run.departures.dropFirst()).allSatisfy { $0.scheduled <= $1.scheduled })
    }

    @Test(arguments: [Set([RelayDirection.forward]), [.return], [.forward, .return]])
    func `Pairs that share a queue pass it as one, each with its own delay`(shared: Set<RelayDirection>) throws {
        let bottleneck = "rate=3M,queue=drain/100ms,headers=28,cross=200k,cubic=30ms"
        var settings = RelaySettings()
        settings.sharedQueues = shared
        let ports = (0..<2).map { UDPAddress(.loopback, port: UInt16(9000 + $0)) }
        for (port, delay) in zip(ports, [10, 60]) {
            settings.addPair(
                listen: RelayRun.listen, to: port,
                network: try LinkSettings(notation: "\(bottleneck),delay=\(delay)ms,loss=10%"))
        }
        let run = RelayRun(settings)
        // Each direction once with the queue of all, and once each pair with its own.
        let access = try #require(Bottleneck(settings.pairs[0].network))
        func expected(_ direction: RelayDirection, _ pair: RelaySettings.Pair) -> EmulatedLink {
            let network = direction == .forward ? pair.network : pair.returnNetwork
            return shared.contains(direction) ? EmulatedLink(network, through: access) : EmulatedLink(network)
        }
        let direction: RelayDirection = shared.contains(.forward) ? .forward : .return
        let links = settings.pairs.map { expected(direction, $0) }
        let start = MediaTime.zero + .seconds(5)
        for pair in 0..<2 { run.receive([], at: .listening(pair: pair), now: start) }
        if direction == .forward { for link in links { link.send([UInt8]().span, at: .zero) } }
        var waits: Set<MediaDuration?> = []
        for (time, datagram) in arrivals(1500) {
            for pair in 0..<2 {
                let source = direction == .forward ? RelayRun.sender(1) : ports[pair]
                let receipt = run.receive(
                    datagram, from: source, at: .listening(pair: pair), now: start + (time - .zero))
                guard case .sent(let entry) = receipt else { throw CancellationError() }
                let outcome = links[pair].send(datagram.span, at: time)
                #expect(entry.outcome == outcome && entry.wait == links[pair].lastPassage?.wait)
                waits.insert(entry.wait)
            }
        }
        #expect(waits.count > 1000 && waits.contains(nil))
        let meters = run.relay.meters
        for pair in 0..<2 {
            #expect(meters[pair][direction].bottleneck == access.statistics)
            #expect(meters[pair][direction].queueWait.count > 300)
        }
        let other: RelayDirection = direction == .forward ? .return : .forward
        if !shared.contains(other) {
            let own = meters.map { $0[other].bottleneck?.accepted }
            #expect(own == (other == .forward ? [1, 1] : [0, 0]))
        }
    }

    @Test func `The wait in the queue is in the record of what leaves, and of what is lost behind it`() throws {
        let run = try RelayRun("rate=1M,delay=5ms,duplicate=100%")
        for _ in 0..<2 { run.receive([UInt8](repeating: 0, count: 1000), now: .zero) }
        run.poll(until: .zero + .seconds(1))
        #expect(run.departures.map { RelayRecord($0).wait?.milliseconds } == [0, 0, 8, 8])
        let lossy = try RelayRun("rate=1M,loss=100%")
        lossy.receive([UInt8](repeating: 0, count: 1000), now: .zero)
        guard case .sent(let entry) = lossy.receive([1], now: .zero) else { throw CancellationError() }
        let record = try #require(RelayRecord(entry))
        #expect(record.line == "1,forward,1,1,0.000000000,lost,random,,,0.008000000")
        #expect(RelayRecord(line: record.line) == record)
    }

    @Test func `A separate socket towards the address accepts only packets from it`() throws {
        var settings = RelaySettings()
        settings.addPair(listen: RelayRun.listen, to: RelayRun.to)
        let run = RelayRun(settings, hasOutwardSocket: [true])
        run.receive([1], now: .zero)
        run.receive([2], from: RelayRun.to, at: .outward(pair: 0), now: .zero)
        run.receive([3], from: RelayRun.sender(9), at: .outward(pair: 0), now: .zero)
        run.poll(until: .zero + .seconds(1))
        let ways = run.departures.map { "\($0.socket) \($0.destination)" }
        #expect(ways == ["outward(pair: 0) 127.0.0.1:9000", "listening(pair: 0) 10.0.0.1:7000"])
        #expect(run.relay.meters[0].back.fromUnknownSenders == 1)
    }

    @Test func `What the system does not take has not left`() throws {
        let run = try RelayRun("delay=1ms")
        for number in 0..<10 { run.receive([1, 2, 3], now: .zero + .milliseconds(10 * number)) }
        run.poll(until: .zero + .seconds(1))
        run.relay.noteFailure(of: run.departures[2], .bufferFull)
        run.relay.noteFailure(of: run.departures[5], .sendFailed)
        let meter = run.relay.meters[0].forward
        #expect(meter.left == 8 && meter.leftBytes == 24 && meter.bufferFull == 1 && meter.sendFailed == 1)
        #expect(meter.intervals.intervals.reduce(0) { $0 + $1.left } == 8)
    }

    @Test func `Packets in flight at the end are abandoned, and reported`() throws {
        let run = try RelayRun("delay=1s,duplicate=100%")
        for number in 0..<10 { run.receive([UInt8(number)], now: .zero + .milliseconds(200 * number)) }
        let left = run.departures.count
        var abandoned: [String] = []
        run.relay.abandon(at: .zero + .seconds(2)) { abandoned.append("\($0.number)\($0.isCopy ? "'" : "")") }
        let meter = run.relay.meters[0].forward
        #expect(left + abandoned.count == 20 && left > 0)
        #expect(meter.abandoned == abandoned.count && meter.onTheWay == abandoned.count)
        #expect(meter.link.delivered == left && run.relay.wakeTime == .distantFuture)
    }
}
