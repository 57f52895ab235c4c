import RillCore
import RillLink
import Testing

/// Headers, and a queue that counts as a router does; all numbers by hand.
@Suite struct BottleneckQueueTests {
    /// How many of `count` datagrams that are sent at once are not dropped.
    private func acceptedCount(_ link: EmulatedLink, count: Int, byteCount: Int, at now: MediaTime) -> Int {
        let bytes = [UInt8](repeating: 0, count: byteCount)
        return (0..<count).count { _ in
            if case .lost(.queueFull) = link.send(bytes.span, at: now) { false } else { true }
        }
    }

    @Test func `Headers take their time in the bottleneck, and do not arrive`() throws {
        // 972 + 28 bytes are 8 ms at 1 Mbit/s.
        let run = LinkRun(try LinkSettings(notation: "rate=1M,headers=28"), count: 3, interval: .zero) { _ in 972 }
        #expect(run.deliveries.map(\.arrival) == [8, 16, 24].map { .zero + .milliseconds($0) })
        #expect(run.contents.map { $0[1] } == [972, 972, 972])
        #expect(run.statistics.sentBytes == 3 * 972 && run.statistics.deliveredBytes == 3 * 972)
        // Even an empty datagram has headers.
        let empty = LinkRun(try LinkSettings(notation: "rate=1M,headers=125"), count: 2, interval: .zero) { _ in 0 }
        #expect(empty.deliveries.map(\.arrival) == [.zero + .milliseconds(1), .zero + .milliseconds(2)])
    }

    /// At 1 Mbit/s 300 ms are 37 500 bytes. Datagrams of 1000 bytes with headers: with 37 before it, another one waits
    /// 296 ms, and would be through after 304 ms.
    @Test(
        arguments: [
            ("queue=300ms", 38), ("queue=drain/300ms", 37), ("queue=drain/304ms", 38), ("queue=drain/303.999ms", 37),
            ("queue=37kB", 38), ("queue=36999B", 37), ("queue=drain/0ms", 1),
        ])
    func `The queue counts headers, and to drain the datagram itself`(queue: String, accepted: Int) throws {
        let link = EmulatedLink(try LinkSettings(notation: "rate=1M,headers=28,\(queue)"))
        #expect(acceptedCount(link, count: 60, byteCount: 972, at: .zero) == accepted)
        let statistics = try #require(link.bottleneck?.statistics)
        #expect(statistics.accepted == accepted && statistics.acceptedBytes == 1000 * accepted)
        #expect(statistics.dropped == 60 - accepted && statistics.droppedBytes == 1000 * (60 - accepted))
    }

    /// 75 kB fit at 2 Mbit/s. Then the rate falls to 500 kbit/s, at which only 18 750 bytes fit: the queue takes
    /// another 1000 once it holds 17 750, and 4 ms at the old rate and 900 ms at the new one have passed.
    @Test func `The limit follows a step of the rate when it comes`() throws {
        let settings = try LinkSettings(notation: "rate=2M/500k@1s,queue=drain/300ms,headers=28")
        let link = EmulatedLink(settings)
        #expect(acceptedCount(link, count: 100, byteCount: 972, at: .zero + .milliseconds(996)) == 75)
        for milliseconds in [1000, 1300, 1899] {
            #expect(acceptedCount(link, count: 1, byteCount: 972, at: .zero + .milliseconds(milliseconds)) == 0)
        }
        #expect(acceptedCount(link, count: 2, byteCount: 972, at: .zero + .milliseconds(1900)) == 1)
        // The limit on the wait knows the step in advance, and takes less before it.
        let seer = EmulatedLink(try LinkSettings(notation: "rate=2M/500k@1s,queue=300ms,headers=28"))
        #expect(acceptedCount(seer, count: 100, byteCount: 972, at: .zero + .milliseconds(996)) == 20)
    }

    @Test func `Over a trace the limit follows the last 200 ms`() throws {
        // 1500 bytes every 10 ms for a second, then nothing for half a second.
        let trace = try DeliveryTrace(milliseconds: (1...100).map { $0 * 10 } + [1500])
        let link = EmulatedLink(try LinkSettings(trace: trace, queueLimit: .drain(.milliseconds(100))))
        // 1.2 Mbit/s, 15 000 bytes.
        #expect(acceptedCount(link, count: 20, byteCount: 1500, at: .zero + .milliseconds(215)) == 10)
        // From 800 to 1000 ms on the opportunities in the window become fewer: of 15 000 bytes 7500 are left.
        #expect(acceptedCount(link, count: 20, byteCount: 1500, at: .zero + .milliseconds(1105)) == 5)
        // None in the window: only an empty queue takes one.
        let silent = EmulatedLink(try LinkSettings(trace: trace, queueLimit: .drain(.milliseconds(100))))
        #expect(acceptedCount(silent, count: 20, byteCount: 1500, at: .zero + .milliseconds(1300)) == 1)
    }

    // MARK: Passage

    @Test func `It tells how long each datagram waits, also one that is lost behind the queue`() throws {
        let link = EmulatedLink(try LinkSettings(notation: "rate=1M,headers=28,loss=50%,delay=10ms,queue=25ms"))
        var generator = SeededGenerator(seed: 5)
        var (now, free, lost) = (MediaTime.zero, MediaTime.zero, 0)
        for _ in 0..<2000 {
            now += .microseconds(Int.random(in: 0...10_000, using: &generator))
            let byteCount = Int.random(in: 0...1172, using: &generator)
            let outcome = link.send([UInt8](repeating: 0, count: byteCount).span, at: now)
            if case .lost(.queueFull(let wait)) = outcome {
                #expect(wait == free - now && link.lastPassage == nil)
                continue
            }
            let passage = try #require(link.lastPassage)
            #expect(passage.wait == max(.zero, free - now))
            // 8 µs a byte: whole nanoseconds.
            free = max(free, now) + .microseconds(8 * (byteCount + 28))
            #expect(passage.departure == free)
            switch outcome {
            case .queued(let arrival, _, _): #expect(arrival == free + .milliseconds(10))
            case .lost: lost += 1
            }
        }
        #expect((800...1200).contains(lost) && link.statistics.droppedByQueue > 50)
    }

    @Test func `A datagram that is refused has no passage, and without a bottleneck it passes at once`() throws {
        let link = EmulatedLink(try LinkSettings(notation: "delay=10ms"))
        #expect(link.lastPassage == nil && link.bottleneck == nil)
        link.send([1].span, at: .zero + .seconds(1))
        #expect(link.lastPassage?.wait == .zero && link.lastPassage?.departure == .zero + .seconds(1))
        link.send([UInt8](repeating: 0, count: 65_508).span, at: .zero + .seconds(1))
        #expect(link.lastPassage == nil)
    }

    @Test func `The wait ends with the transmission of the first bit`() throws {
        // Nothing passes from 4 to 50 ms: the second one's bits are next when the link stops.
        let stopped = EmulatedLink(try LinkSettings(notation: "rate=2M/0@4ms/2M@50ms"))
        let bytes = [UInt8](repeating: 0, count: 1000)
        stopped.send(bytes.span, at: .zero)
        stopped.send(bytes.span, at: .zero)
        #expect(stopped.lastPassage?.wait == .milliseconds(50))
        #expect(stopped.lastPassage?.departure == .zero + .milliseconds(54))
        // Over a trace: the opportunity that takes the first byte. The first one's last 500 bytes leave 1000 at 20 ms.
        let traced = EmulatedLink(try LinkSettings(trace: try DeliveryTrace(milliseconds: [10, 20, 70])))
        traced.send([UInt8](repeating: 0, count: 2000).span, at: .zero + .milliseconds(1))
        #expect(traced.lastPassage?.wait == .milliseconds(9))
        traced.send([UInt8](repeating: 0, count: 1500).span, at: .zero + .milliseconds(1))
        #expect(traced.lastPassage?.wait == .milliseconds(19))
        #expect(traced.lastPassage?.departure == .zero + .milliseconds(70))
        traced.send([UInt8](repeating: 0, count: 1000).span, at: .zero + .milliseconds(1))
        #expect(traced.lastPassage?.wait == .milliseconds(69), "1000 bytes are left at 70 ms")
        traced.send([1].span, at: .zero + .milliseconds(1))
        #expect(traced.lastPassage?.wait == .milliseconds(79), "a new round")
        traced.send([UInt8]().span, at: .zero + .milliseconds(1))
        #expect(traced.lastPassage?.departure == .zero + .milliseconds(80))
    }
}
