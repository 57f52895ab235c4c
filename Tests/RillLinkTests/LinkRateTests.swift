import RillCore
import RillLink
import Testing

@Suite struct LinkRateTests {
    /// The n-th of datagrams that are sent at once is through when the bits of all n are, to the nanosecond.
    @Test(arguments: [1_000_000, 2_000_000, 7_000_000, 999_983, 45_000, 1000] as [Int])
    func `It takes exactly the time of its bits`(bitsPerSecond: Int) throws {
        let settings = try LinkSettings(
            delay: .milliseconds(10), rate: RateSchedule(Bitrate(bitsPerSecond: bitsPerSecond)),
            queueLimit: .time(.seconds(60)))
        let sizes = (0..<300).map { 1 + ($0 * 7919) % 1200 }
        let run = LinkRun(settings, count: 300, interval: .zero) { sizes[$0] }
        var bits = 0
        for (size, outcome) in zip(sizes, run.outcomes) {
            let waitBefore = bits * 1_000_000_000 / bitsPerSecond
            guard waitBefore <= 60_000_000_000 else {
                #expect(outcome == .lost(.queueFull(wait: MediaDuration(nanoseconds: Int64(waitBefore)))))
                continue
            }
            bits += 8 * size
            let through = (bits * 1_000_000_000 + bitsPerSecond - 1) / bitsPerSecond
            let arrival = MediaTime(nanoseconds: Int64(through)) + .milliseconds(10)
            #expect(
                outcome == .queued(arrival: arrival, copyArrival: nil, isCorrupted: false),
                "\(bits) bits at \(bitsPerSecond)")
        }
    }

    @Test func `It does not save up time in which nothing is sent`() throws {
        // 1000 bytes take 8 ms at 1 Mbit/s; sent every 10 ms, each finds the queue empty.
        let run = LinkRun(try LinkSettings(rate: RateSchedule(.megabits(1))), count: 100, interval: .milliseconds(10)) {
            _ in 1000
        }
        #expect(run.deliveries.count == 100)
        #expect(run.deliveries.allSatisfy { $0.arrival - $0.sendTime == .milliseconds(8) })
    }

    @Test func `It carries its rate and drops the rest`() throws {
        // 1000 bytes every 4 ms are 2 Mbit/s, twice what passes. The queue fills within 0.6 s to its 0.512 s (64 kB).
        let run = LinkRun(try LinkSettings(rate: RateSchedule(.megabits(1))), count: 2500, interval: .milliseconds(4)) {
            _ in 1000
        }
        let last = try #require(run.deliveries.last)
        #expect(last.arrival.nanoseconds == 8_000_000 * Int64(run.deliveries.count), "no gap in what passes")
        #expect((1250...1320).contains(run.deliveries.count), "\(run.deliveries.count)")
        let waits = run.deliveries.map { $0.arrival - $0.sendTime }
        #expect(waits.max() == .milliseconds(520), "the limit, and the datagram's own 8 ms")
    }

    @Test(arguments: [(45_000, 64_000), (1_000_000, 64_000), (2_000_000, 75_000), (20_000_000, 750_000)])
    func `It queues 300 milliseconds or 64 kilobytes by default`(bitsPerSecond: Int, bytes: Int) throws {
        let settings = try LinkSettings(rate: RateSchedule(Bitrate(bitsPerSecond: bitsPerSecond)))
        let run = LinkRun(settings, count: 2000, interval: .zero) { _ in 1000 }
        // The one that has just as much before it as the queue may hold still goes in.
        #expect(run.deliveries.count == bytes / 1000 + 1)
    }

    @Test func `It takes one datagram of any size into an empty queue`() throws {
        let settings = try LinkSettings(rate: RateSchedule(.kilobits(1)), queueLimit: .time(.zero))
        let run = LinkRun(settings, count: 3, interval: .milliseconds(1)) { $0 == 0 ? 65_507 : 1 }
        #expect(
            run.outcomes[0] == .queued(arrival: .zero + .milliseconds(524_056), copyArrival: nil, isCorrupted: false))
        #expect(run.outcomes[1] == .lost(.queueFull(wait: .milliseconds(524_055))))
        #expect(run.outcomes[2] == .lost(.queueFull(wait: .milliseconds(524_054))))
    }

    @Test func `Packets lost after the queue use its rate, too`() throws {
        let settings = try LinkSettings(
            loss: .percent(50), rate: RateSchedule(.megabits(1)), queueLimit: .time(.seconds(60)), seed: 4)
        let run = LinkRun(settings, count: 1000, interval: .zero) { _ in 1000 }
        #expect(run.deliveries.allSatisfy { $0.arrival == .zero + .milliseconds(8) * ($0.sequence + 1) })
        #expect((400...600).contains(run.deliveries.count))
    }
}
