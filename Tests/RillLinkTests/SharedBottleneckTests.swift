import RillCore
import RillLink
import RillTestSupport
import Testing

@Suite struct SharedBottleneckTests {
    private func bottleneck(_ notation: String) throws -> Bottleneck {
        try #require(Bottleneck(try LinkSettings(notation: notation)))
    }

    @Test func `Each link has its own delay behind the common queue`() throws {
        let bottleneck = try bottleneck("rate=1M,headers=28")
        let one = EmulatedLink(try LinkSettings(notation: "delay=50ms"), through: bottleneck)
        let other = EmulatedLink(try LinkSettings(notation: "delay=20ms,loss=100%"), through: bottleneck)
        let third = EmulatedLink(try LinkSettings(notation: "delay=1ms,rate=1k,queue=0B"), through: bottleneck)
        let bytes = [UInt8](repeating: 0, count: 972)
        // At the same time: in the order of the calls.
        #expect(other.send(bytes.span, at: .zero) == .lost(.random))
        let first = one.send(bytes.span, at: .zero)
        let last = third.send(bytes.span, at: .zero)
        #expect(first == .queued(arrival: .zero + .milliseconds(66), copyArrival: nil, isCorrupted: false))
        // Its own rate and queue do not count.
        #expect(last == .queued(arrival: .zero + .milliseconds(25), copyArrival: nil, isCorrupted: false))
        #expect(other.lastPassage?.wait == .zero && one.lastPassage?.wait == .milliseconds(8))
        #expect(bottleneck.statistics.accepted == 3 && bottleneck.statistics.acceptedBytes == 3000)
        #expect(one.bottleneck === bottleneck)
        #expect("\(bottleneck.statistics)" == "accepted 3, acceptedBytes 3000")
    }

    /// The queue cannot tell whose datagrams it holds.
    @Test(arguments: 1...20)
    func `Several links pass it as one would`(seed: UInt64) throws {
        let shared = "rate=2M/600k@2s,queue=drain/200ms,headers=28,cross=300k,cubic=40ms"
        let alone = EmulatedLink(try LinkSettings(notation: shared))
        let bottleneck = try bottleneck(shared)
        let links = try (0..<3).map { index in
            EmulatedLink(try LinkSettings(notation: "jitter=9ms,loss=5%,seed=\(index)"), through: bottleneck)
        }
        var (generator, now, drops) = (SeededGenerator(seed: seed), MediaTime.zero, 0)
        for _ in 0..<2000 {
            now += .microseconds(Int.random(in: 0...4000, using: &generator))
            let bytes = [UInt8](repeating: 0, count: Int.random(in: 0...1400, using: &generator))
            let link = links[Int.random(in: 0..<3, using: &generator)]
            alone.send(bytes.span, at: now)
            link.send(bytes.span, at: now)
            #expect(link.lastPassage == alone.lastPassage)
            if link.lastPassage == nil { drops += 1 }
        }
        #expect(bottleneck.statistics == alone.bottleneck?.statistics && drops > 20)
        #expect(links.reduce(0) { $0 + $1.statistics.droppedByQueue } == drops)
    }

    @Test func `Equal senders get equal shares`() throws {
        let bottleneck = try bottleneck("rate=3M,queue=drain/300ms,headers=28")
        let links = try (1...2).map {
            EmulatedLink(try LinkSettings(notation: "delay=50ms,seed=\($0)"), through: bottleneck)
        }
        var generator = SeededGenerator(seed: 3)
        var next = [MediaTime.zero, .zero]
        var accepted = [0.0, 0.0]
        // 2.1 Mbit/s each, at irregular times.
        while let index = next.indices.min(by: { next[$0] < next[$1] }), next[index] < .zero + .seconds(60) {
            links[index].send([UInt8](repeating: 0, count: 1200).span, at: next[index])
            if links[index].lastPassage != nil { accepted[index] += 1 }
            next[index] += .microseconds(Int.random(in: 1000...8357, using: &generator))
        }
        let jain =
            (accepted[0] + accepted[1]) * (accepted[0] + accepted[1])
            / (2 * (accepted[0] * accepted[0] + accepted[1] * accepted[1]))
        let utilization = Double(bottleneck.statistics.acceptedBytes) * 8 / 60 / 3_000_000
        note("accepted \(accepted), Jain \(jain), utilization \(utilization)")
        #expect(jain > 0.999 && (0.99...1.006).contains(utilization))
    }

    @Test func `The latest time of all links counts`() throws {
        let bottleneck = try bottleneck("rate=1M")
        let one = EmulatedLink(.clean, through: bottleneck)
        let other = EmulatedLink(.clean, through: bottleneck)
        let bytes = [UInt8](repeating: 0, count: 1000)
        one.send(bytes.span, at: .zero + .seconds(1))
        other.send(bytes.span, at: .zero + .milliseconds(500))
        #expect(other.lastPassage?.wait == .milliseconds(8))
        var datagram: [UInt8] = []
        #expect(other.poll(at: .distantFuture, into: &datagram)?.sendTime == .zero + .seconds(1))
        #expect(bottleneck.advance(to: .zero) == .zero + .seconds(1))
    }
}
