import RillCore
import RillLink
import Testing

@Suite struct RateStepTests {
    /// When so many bits are through that go without a pause from zero on: the first nanosecond by which the schedule
    /// has carried them, searched for.
    private func throughTime(ofBits bits: Int, _ schedule: RateSchedule) -> MediaTime {
        func carried(by time: Int64) -> Int128 {
            var sum: Int128 = 0
            for (index, step) in schedule.steps.enumerated() {
                let end = index + 1 < schedule.steps.count ? schedule.steps[index + 1].start.nanoseconds : .max
                let overlap = min(time, end) - step.start.nanoseconds
                if overlap > 0 { sum += Int128(overlap) * Int128(step.rate.bitsPerSecond) }
            }
            return sum
        }
        var (low, high) = (Int64(0), Int64(10_000_000_000_000))
        while low < high {
            let middle = (low + high) / 2
            if carried(by: middle) >= Int128(bits) * 1_000_000_000 { high = middle } else { low = middle + 1 }
        }
        return MediaTime(nanoseconds: low)
    }

    @Test(
        arguments: [
            "2M/450k@40s/2M@80s", "1M/999983@1s", "7M/13k@1ms/7M@2ms/333333@30ms", "1k/1M@3s", "2M/0@10ms/2M@5s",
            "0/300k@1s", "1M/0@1ns/0@2ns/1M@3ns/3M@1000003ns",
        ])
    func `It takes exactly the time of its bits at the rates of the schedule`(notation: String) throws {
        let schedule = try RateSchedule(notation: notation)
        let settings = try LinkSettings(rate: schedule, queueLimit: .bytes(10_000_000))
        let sizes = (0..<400).map { 1 + ($0 * 7919) % 1200 }
        let run = LinkRun(settings, count: 400, interval: .zero) { sizes[$0] }
        var bits = 0
        for (index, outcome) in run.outcomes.enumerated() {
            bits += 8 * sizes[index]
            let due = throughTime(ofBits: bits, schedule)
            #expect(outcome == .queued(arrival: due, copyArrival: nil, isCorrupted: false), "\(notation), \(index)")
        }
    }

    /// 1000 bytes every 5 ms are 1.6 Mbit/s. From the step on 450 kbit/s pass, until it is over.
    @Test func `A step fills a deep queue that drains after it`() throws {
        let settings = try LinkSettings(notation: "rate=2M/450k@4s/2M@8s,queue=10s")
        let run = LinkRun(settings, count: 4000, interval: .milliseconds(5)) { _ in 1000 }
        #expect(run.deliveries.count == 4000)
        func delay(at time: MediaDuration) -> MediaDuration {
            let delivery = run.deliveries[Int(time.nanoseconds / 5_000_000)]
            return delivery.arrival - delivery.sendTime
        }
        #expect(delay(at: .milliseconds(3995)) == .milliseconds(4), "alone in the queue, at 2 Mbit/s")
        // Of what came since 4 s, 7.2 Mbit/s·s less is through by 8 s than came: 4 s · 1.15 Mbit/s = 4.6 Mbit wait.
        #expect((2300...2310).contains(delay(at: .seconds(8)).milliseconds), "\(delay(at: .seconds(8)))")
        #expect(delay(at: .milliseconds(19_995)) == .milliseconds(4), "drained at 0.4 Mbit/s in 11.5 s")
        let peak = run.deliveries.map { $0.arrival - $0.sendTime }.max()
        // The one that was sent when as much had come as passes until 8 s: 4 s + 4 s · 0.45 / 1.6 = 5.125 s.
        #expect((2850...2900).contains(peak?.milliseconds ?? 0), "\(peak?.milliseconds ?? 0)")
    }

    @Test func `A rate of zero keeps the queue`() throws {
        let settings = try LinkSettings(notation: "rate=2M/0@1s/2M@3s,queue=1MB")
        let run = LinkRun(settings, count: 400, interval: .milliseconds(10)) { _ in 500 }
        #expect(run.deliveries.map(\.sequence) == Array(0..<400))
        #expect(run.deliveries.allSatisfy { $0.arrival <= .zero + .seconds(1) || $0.arrival > .zero + .seconds(3) })
        #expect(run.deliveries[100].arrival == .zero + .milliseconds(3002))
    }

    @Test(arguments: [64_000, 0, 1, 999, 1000, 1001])
    func `A queue in bytes holds so many, whatever the rate`(limit: Int) throws {
        for rate in ["1M", "450k", "450k/2M@500us/1k@700us"] {
            let settings = try LinkSettings(rate: RateSchedule(notation: rate), queueLimit: .bytes(limit))
            let run = LinkRun(settings, count: 200, interval: .zero) { _ in 1000 }
            // The one that has just as much before it as the queue may hold still goes in.
            #expect(run.deliveries.count == limit / 1000 + 1, "\(rate)")
        }
    }

    /// What is through no longer counts: at 1 Mbit/s a byte each 8 µs.
    @Test func `A queue in bytes drains by the bit`() throws {
        let settings = try LinkSettings(notation: "rate=1M/500k@4ms,queue=1000B")
        func isTaken(after first: MediaDuration) -> Bool {
            let link = EmulatedLink(settings)
            let bytes = [UInt8](repeating: 0, count: 1500)
            link.send(bytes.span, at: .zero)
            if case .queued = link.send(bytes.span, at: .zero + first) { return true } else { return false }
        }
        #expect(!isTaken(after: .microseconds(3999)) && isTaken(after: .milliseconds(4)))
        let slow = try LinkSettings(notation: "rate=1M/500k@2ms,queue=1000B")
        for (time, taken) in [(5999, false), (6000, true)] {
            let link = EmulatedLink(slow)
            let bytes = [UInt8](repeating: 0, count: 1500)
            link.send(bytes.span, at: .zero)
            let second = link.send(bytes.span, at: .zero + .microseconds(time))
            if case .lost(.queueFull) = second { #expect(!taken, "\(time)") } else { #expect(taken, "\(time)") }
        }
    }

    /// 1500 bytes take 1 714 285 5/7 ns at 7 Mbit/s.
    @Test func `A queue in bytes drains to the last fraction of a nanosecond`() throws {
        for (time, isTaken) in [(1_714_285, false), (1_714_286, true)] {
            let link = EmulatedLink(try LinkSettings(notation: "rate=7M,queue=0B"))
            let bytes = [UInt8](repeating: 0, count: 1500)
            link.send(bytes.span, at: .zero)
            if case .queued = link.send(bytes.span, at: MediaTime(nanoseconds: Int64(time))) {
                #expect(isTaken, "\(time)")
            } else {
                #expect(!isTaken, "\(time)")
            }
        }
    }

    @Test func `Steps are read and written`() throws {
        let schedule = try RateSchedule(.megabits(2), then: [.init(.kilobits(450), from: .zero + .seconds(40))])
        #expect(try RateSchedule(notation: "2M/450k@40s") == schedule)
        #expect(schedule.description == "2M/450k@40s")
        #expect(throws: LinkError.stepsNotRising(.seconds(40), .seconds(40))) {
            try RateSchedule(notation: "2M/1M@40s/2M@40s")
        }
        #expect(throws: LinkError.stepsNotRising(.zero, .zero)) { try RateSchedule(notation: "2M/1M@0s") }
    }
}
