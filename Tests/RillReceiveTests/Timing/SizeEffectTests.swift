import RillCore
import RillPacketSupport
import RillTestSupport
import Testing

@testable import RillReceive

@Suite struct SizeEffectTests {
    /// Thirty frames a second of 500 to 5000 bytes; `nanosecondsPerByte` is the link's, and jitter comes on top.
    private func feed(
        _ effect: inout SizeEffect, _ random: inout SeededGenerator, frames: Range<Int>, nanosecondsPerByte: Int64,
        jitter: MediaDuration
    ) {
        for index in frames {
            let byteCount = 500 + Int(random.next() % 4500)
            let transit =
                20_000_000 + Int64(byteCount) * nanosecondsPerByte + random.duration(below: jitter).nanoseconds
            effect.add(transit: transit, byteCount: byteCount, at: .frame(index))
        }
    }

    @Test(arguments: [4000, 16_000, 64_000] as [Int64])
    func `The time that a narrow link takes for a byte is found`(nanosecondsPerByte: Int64) {
        for seed in 1...20 as ClosedRange<UInt64> {
            var effect = SizeEffect()
            var random = SeededGenerator(seed: seed)
            feed(
                &effect, &random, frames: 0..<300, nanosecondsPerByte: nanosecondsPerByte, jitter: .milliseconds(3))
            // On the safe side: seldom more than the truth, and not much less.
            let ratio = Double(effect.delay(ofBytes: 10_000)) / Double(nanosecondsPerByte * 10_000)
            #expect(ratio > 0.85 && ratio < 1.05, "seed \(seed), \(nanosecondsPerByte) ns a byte: \(ratio)")
        }
    }

    @Test func `Jitter alone does not depend on sizes`() {
        var found = 0
        var largest: Int64 = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            var effect = SizeEffect()
            var random = SeededGenerator(seed: seed)
            feed(&effect, &random, frames: 0..<300, nanosecondsPerByte: 0, jitter: .milliseconds(60))
            let delay = effect.delay(ofBytes: 5000)
            if delay > 0 { found += 1 }
            largest = max(largest, delay)
        }
        // Two standard deviations leave one in forty, and steps share their ends.
        #expect(found <= 20, "\(found) of 200")
        #expect(largest < 10_000_000, "\(largest) ns")
    }

    @Test func `The size effect is forgotten when the link becomes faster`() {
        var effect = SizeEffect()
        var random = SeededGenerator(seed: 3)
        feed(&effect, &random, frames: 0..<300, nanosecondsPerByte: 16_000, jitter: .milliseconds(1))
        #expect(effect.delay(ofBytes: 10_000) > 140_000_000)
        feed(&effect, &random, frames: 300..<900, nanosecondsPerByte: 1000, jitter: .milliseconds(1))
        #expect(effect.delay(ofBytes: 10_000) < 15_000_000)
    }

    @Test func `A few steps and equal sizes have no effect`() {
        var effect = SizeEffect()
        #expect(effect.delay(ofBytes: 10_000) == 0)
        for index in 0..<7 {
            effect.add(transit: Int64(index % 2) * 1_000_000, byteCount: 100 + index % 2 * 1000, at: .zero)
        }
        #expect(effect.delay(ofBytes: 10_000) == 0)
        for index in 7..<30 {
            effect.add(transit: Int64(index % 2) * 1_000_000, byteCount: 100 + index % 2 * 1000, at: .zero)
        }
        #expect(effect.delay(ofBytes: 10_000) == 10_000_000)
        // No frame is waited for longer than a second.
        #expect(effect.delay(ofBytes: 1 << 40) == 1_000_000_000)

        var even = SizeEffect()
        for index in 0..<100 { even.add(transit: Int64(index % 7) * 1_000_000, byteCount: 1000, at: .frame(index)) }
        #expect(even.delay(ofBytes: 10_000) == 0)
    }
}
