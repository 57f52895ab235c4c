import RillCore
import RillLink
import Testing

@Suite struct CapacityTests {
    private func milliseconds(_ count: Int) -> MediaTime { .zero + .milliseconds(count) }

    @Test func `The capacity at a rate is the rate`() throws {
        let settings = try LinkSettings(notation: "rate=1M/2500k@40s/0@60s/1M@80s")
        for (time, rate) in [(-5, 1_000_000), (0, 1_000_000), (39_999, 1_000_000), (40_000, 2_500_000), (60_000, 0)] {
            #expect(settings.capacity(at: milliseconds(time))?.bitsPerSecond == rate)
        }
        #expect(Bottleneck(settings)?.capacity(at: .zero + .seconds(1_000_000)) == .megabits(1))
        // 10 s of 1 Mbit/s, 20 s of 2.5, 20 s of nothing, 10 s of 1.
        let mean = settings.capacity(over: .zero + .seconds(30)..<(.zero + .seconds(90)))
        #expect(mean?.bitsPerSecond == 70_000_000 / 60)
        #expect(settings.capacity(over: milliseconds(-5)..<milliseconds(5)) == .megabits(1))
        #expect(LinkSettings.clean.capacity(at: .zero) == nil && Bottleneck(.clean) == nil)
        #expect(LinkSettings.clean.capacity(over: .zero..<milliseconds(1)) == nil)
    }

    /// Against a count of the opportunities one by one.
    @Test(arguments: 1...50)
    func `The capacity of a trace is the mean of the last 200 ms`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let numbers = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
            UInt32.random(in: 0...500, using: &generator)
        }
        let trace = try DeliveryTrace(
            milliseconds: numbers.sorted() + [UInt32.random(in: 500...700, using: &generator)])
        let settings = try LinkSettings(trace: trace)
        let period = Int(trace.period.milliseconds)
        func count(from: Int64, to: Int64) -> Int {
            (0...5).reduce(0) { sum, round in
                sum
                    + trace.milliseconds.count { number in
                        (from..<to).contains(Int64(round * period + Int(number)) * 1_000_000)
                    }
            }
        }
        for _ in 0..<40 {
            let time = Int64.random(in: 0...Int64(4 * period), using: &generator) * 1_000_000
            let shifted = time + Int64.random(in: -1...1, using: &generator)
            let end = max(shifted, 200_000_000)
            let expected = count(from: end - 200_000_000, to: end) * 1500 * 8 * 5
            #expect(settings.capacity(at: MediaTime(nanoseconds: shifted))?.bitsPerSecond == expected, "at \(shifted)")
            let start = Int64.random(in: 0...Int64(period), using: &generator) * 1_000_000
            let later = start + 1 + Int64.random(in: 0...2_000_000_000, using: &generator)
            let bits = count(from: start, to: later) * 12_000 * 1_000_000_000
            let mean = settings.capacity(over: MediaTime(nanoseconds: start)..<MediaTime(nanoseconds: later))
            #expect(mean?.bitsPerSecond == bits / Int(later - start))
        }
    }
}
