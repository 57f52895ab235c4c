import Glibc
import RillCore
import RillLink
import RillTestSupport
import Testing

@Suite struct CUBICFlowTests {
    private func bottleneck(_ notation: String) throws -> Bottleneck {
        try #require(Bottleneck(try LinkSettings(notation: notation)))
    }

    private func time(_ seconds: Int) -> MediaTime { .zero + .seconds(seconds) }

    /// The bytes that each flow gets in a period.
    private func bytes(_ bottleneck: Bottleneck, from: Int, to: Int) -> [Double] {
        bottleneck.advance(to: time(from))
        let before = bottleneck.statistics.cubicFlows.map(\.acceptedBytes)
        bottleneck.advance(to: time(to))
        return zip(bottleneck.statistics.cubicFlows, before).map { Double($0.acceptedBytes - $1) }
    }

    /// The queue holds one product of bandwidth and delay, so that 0.7 of the window still fill the link.
    @Test(arguments: [("10M", 100, 125), ("10M", 20, 25), ("3M", 50, 19), ("100M", 50, 625)])
    func `A lone flow fills the link`(rate: String, roundTrip: Int, kilobytes: Int) throws {
        let bottleneck = try bottleneck("rate=\(rate),queue=\(kilobytes)kB,cubic=\(roundTrip)ms")
        let got = bytes(bottleneck, from: 10, to: 130)[0]
        let capacity = try #require(bottleneck.settings.capacity(over: time(10)..<time(130))).bitsPerSecond
        let utilization = got * 8 / Double(capacity) / 120
        let flow = bottleneck.statistics.cubicFlows[0]
        note("\(rate), \(roundTrip) ms, \(kilobytes) kB: utilization \(utilization), \(flow)")
        #expect((0.9...1.001).contains(utilization))
        #expect(flow.timeouts == 0 && flow.reductions > 3)
        #expect(Double(flow.dropped) / Double(flow.sent) < 0.02)
    }

    /// 10 Mbit/s, 100 ms and 125 kB of queue hold 166.7 segments: the window exceeds that when something is dropped,
    /// and is at the last maximum again after K, the cube root of 0.3 W / 0.4.
    @Test func `The window between two losses is the cubic function's`() throws {
        let bottleneck = try bottleneck("rate=10M,queue=125kB,cubic=100ms")
        bottleneck.advance(to: time(20))
        var (samples, cycles): ([(time: Double, window: Double)], Int) = ([], 0)
        var reductions = bottleneck.statistics.cubicFlows[0].reductions
        var maximum = 0.0
        for step in 0..<20_000 {
            bottleneck.advance(to: time(20) + .milliseconds(10) * step)
            let flow = bottleneck.statistics.cubicFlows[0]
            if flow.reductions == reductions {
                samples.append((Double(step) / 100, flow.window))
                continue
            }
            reductions = flow.reductions
            let top = try #require(samples.last?.window)
            // What waits for its turn is in the window, too: the one that is being transmitted, and three that reveal
            // the loss.
            #expect((165...173).contains(top), "reduced at \(top)")
            #expect(abs(flow.window - 0.7 * top) < 1)
            if maximum > 0, let start = samples.first(where: { $0.window > samples[0].window }) {
                cycles += 1
                let base = samples[0].window
                let toMaximum = cbrt((maximum - base) / 0.4)
                for sample in samples where sample.time >= start.time {
                    func cubic(_ seconds: Double) -> Double {
                        let offset = seconds - toMaximum
                        return 0.4 * offset * offset * offset + maximum
                    }
                    // A round trip is 170 to 200 ms here; Reno's window is smaller throughout.
                    let since = sample.time - start.time
                    let expected = cubic(since - 0.1) - 0.5...max(cubic(since + 0.22), base) + 0.5
                    #expect(expected.contains(sample.window), "\(since) s: \(sample.window), not \(expected)")
                }
            }
            maximum = top < maximum ? top * 0.85 : top
            samples = []
        }
        note("\(cycles) cycles in 200 s")
        #expect((20...45).contains(cycles))
    }

    @Test func `Two flows with the same round trip share the link`() throws {
        let bottleneck = try bottleneck("rate=10M,queue=125kB,cubic=100ms/100ms@5s")
        let got = bytes(bottleneck, from: 40, to: 340)
        let sum = got[0] + got[1]
        let jain = sum * sum / (2 * (got[0] * got[0] + got[1] * got[1]))
        note("shares \(got[0] / sum) and \(got[1] / sum), Jain \(jain), \(bottleneck.statistics)")
        #expect(jain > 0.9 && sum * 8 / 300 / 10_000_000 > 0.9)
    }

    @Test func `It leaves what a constant sender sends, and loses what does not fit`() throws {
        let link = EmulatedLink(try LinkSettings(notation: "rate=10M,queue=125kB,headers=28,cubic=100ms"))
        // 1000 bytes every 4 ms: 2 Mbit/s.
        let bytes = [UInt8](repeating: 0, count: 972)
        for index in 0..<30_000 { link.send(bytes.span, at: .zero + .milliseconds(4) * index) }
        let bottleneck = try #require(link.bottleneck)
        let flow = bottleneck.statistics.cubicFlows[0]
        let total = bottleneck.statistics.acceptedBytes + flow.acceptedBytes
        note("\(bottleneck.statistics), utilization \(Double(total) * 8 / 120 / 10_000_000)")
        #expect((0.9...1.002).contains(Double(total) * 8 / 120 / 10_000_000))
        #expect((0.9...1).contains(Double(bottleneck.statistics.acceptedBytes) * 8 / 120 / 2_000_000))
        #expect(link.statistics.droppedByQueue == bottleneck.statistics.dropped && bottleneck.statistics.dropped > 0)
        #expect(link.statistics.sent == 30_000 && link.countInFlight + link.statistics.droppedByQueue == 30_000)
    }

    @Test func `It starts and ends when it should`() throws {
        let bottleneck = try bottleneck("rate=10M,queue=125kB,cubic=50ms@10s-20s")
        bottleneck.advance(to: time(10) - MediaDuration(nanoseconds: 1))
        #expect(bottleneck.statistics.cubicFlows[0] == Bottleneck(bottleneck.settings)?.statistics.cubicFlows[0])
        bottleneck.advance(to: time(10))
        #expect(bottleneck.statistics.cubicFlows[0].sent == 10, "the initial window")
        bottleneck.advance(to: time(20) - MediaDuration(nanoseconds: 1))
        let sent = bottleneck.statistics.cubicFlows[0].sent
        bottleneck.advance(to: time(1000))
        #expect(bottleneck.statistics.cubicFlows[0].sent == sent && sent > 7000)
    }

    /// Slow start: 10, 20, 40 segments, each 1.2 ms behind the previous one, while the queue is short.
    @Test func `Its first segments are those of slow start, by hand`() throws {
        let bottleneck = try bottleneck("rate=10M,queue=1MB,cubic=100ms")
        func sent(at milliseconds: Double) -> Int {
            bottleneck.advance(to: .zero + .microseconds(Int(milliseconds * 1000)))
            return bottleneck.statistics.cubicFlows[0].sent
        }
        #expect(sent(at: 0) == 10 && sent(at: 101.199) == 10)
        // The first acknowledgement comes a round trip after the transmission, and releases two segments.
        #expect(sent(at: 101.2) == 12 && sent(at: 102.4) == 14 && sent(at: 112) == 30)
        // The next twenty are through at 101.2 + 2.4, and then every 1.2 ms, to the queue's end at 101.2 + 24.
        #expect(sent(at: 202.399) == 30 && sent(at: 202.4) == 32 && sent(at: 225.2) == 70)
    }

    @Test func `A flow that a flood starves times out, and comes back`() throws {
        let link = EmulatedLink(try LinkSettings(notation: "rate=10M,queue=25kB,headers=28,cubic=20.37ms"))
        let bottleneck = try #require(link.bottleneck)
        bottleneck.advance(to: time(5))
        #expect(bottleneck.statistics.cubicFlows[0].timeouts == 0)
        // 100 Mbit/s for 20 s: of what the flow sends one in ten gets through.
        let bytes = [UInt8](repeating: 0, count: 972)
        for index in 0..<250_000 { link.send(bytes.span, at: time(5) + .microseconds(80) * index) }
        let starved = bottleneck.statistics.cubicFlows[0]
        #expect(starved.timeouts > 3 && starved.window < 4, "\(starved)")
        // The timeout doubles with each segment that is lost again, to a minute at most.
        let got = self.bytes(bottleneck, from: 90, to: 110)[0]
        note("starved \(starved), then \(bottleneck.statistics.cubicFlows[0])")
        #expect(got * 8 / 20 / 10_000_000 > 0.9)
    }

    /// A stop is no loss: what is queued passes after it.
    @Test func `A flow waits while the link stops`() throws {
        let bottleneck = try bottleneck("rate=10M/0@5s/10M@8s,queue=drain/100ms,cubic=20ms")
        let before = bytes(bottleneck, from: 6, to: 7)[0]
        let after = bytes(bottleneck, from: 10, to: 30)[0]
        #expect(before == 0 && after * 8 / 20 / 10_000_000 > 0.9)
    }

    /// Whoever asks more often must not see another network.
    @Test(arguments: 1...10)
    func `It is the same however often it is asked`(seed: UInt64) throws {
        let notation =
            "rate=5M/2M@7s/5M@9s,queue=drain/100ms,headers=28,cross=500k,cubic=30ms/80ms@2s,delay=10ms,seed=\(seed)"
        func run(asking: Bool) throws -> (BottleneckStatistics?, [SendOutcome]) {
            let link = EmulatedLink(try LinkSettings(notation: notation))
            var (generator, asks, now) = (SeededGenerator(seed: seed), SeededGenerator(seed: 9), MediaTime.zero)
            var outcomes: [SendOutcome] = []
            for _ in 0..<1500 {
                now += .microseconds(Int.random(in: 0...15_000, using: &generator))
                if asking { link.bottleneck?.advance(to: now - .microseconds(Int.random(in: 0...9000, using: &asks))) }
                outcomes.append(link.send([UInt8](repeating: 0, count: 1000).span, at: now))
            }
            return (link.bottleneck?.statistics, outcomes)
        }
        let (one, other) = (try run(asking: false), try run(asking: true))
        #expect(one.0 == other.0 && one.1 == other.1)
        #expect((one.0?.cubicFlows[1].sent ?? 0) > 100 && one.1.contains { if case .lost = $0 { true } else { false } })
    }

    @Test func `A window is bounded on the fastest link`() throws {
        let bottleneck = try bottleneck("rate=1000000M,cubic=1s")
        bottleneck.advance(to: time(16))
        let flow = bottleneck.statistics.cubicFlows[0]
        #expect(flow.window == 65_536 && flow.sent <= 10 * 8192 + 4 * 65_536, "\(flow)")
    }
}
