import RillCore
import RillRTP
import RillTestSupport
import Testing

/// Conversions with constants that were computed before, against plain arithmetic in 128 bits.
@Suite struct ClockRateTests {
    private static let rates = [
        1, 2, 3, 7, 8000, 11_025, 16_000, 44_100, 48_000, 90_000, 96_000, 1_000_000, 1 << 20, 999_999_937,
        1_000_000_000,
        Int(UInt32.max),
    ]

    /// Ticks around zero, around powers of two, and random ones of every width.
    private static func samples(_ random: inout SeededGenerator) -> [Int64] {
        var ticks: [Int64] = [0, 1, -1, 4, -5, 9, 44_999, 45_000, 45_001]
        for width in 1..<63 {
            for step in -2...2 as ClosedRange<Int64> { ticks += [1 << width + step, -(1 << width) - step] }
            for _ in 0..<50 { ticks.append(Int64(bitPattern: random.next()) >> Int64(63 - width)) }
        }
        return ticks
    }

    @Test(arguments: rates)
    func `A time is that of division`(hertz: Int) {
        let rate = ClockRate(hertz)
        var random = SeededGenerator(seed: UInt64(hertz))
        for ticks in Self.samples(&random) {
            // Of hours only: the times of more ticks do not fit.
            guard ticks.magnitude / UInt64(hertz) < 1 << 33 else { continue }
            #expect(rate.time(of: ticks) == MediaTime(ticks: ticks, rate: hertz), "\(ticks) at \(hertz) Hz")
            let whole = Int64(Int128(ticks) * 1_000_000_000 / Int128(hertz))
            #expect(rate.wholeNanoseconds(of: ticks) == whole, "\(ticks) at \(hertz) Hz")
        }
    }

    @Test(arguments: rates)
    func `Ticks go to a time and back`(hertz: Int) {
        let rate = ClockRate(hertz)
        for ticks in [0, 1, 959, 960, -960, 1 << 31, -(1 << 31)] as [Int64] where hertz < 1_000_000_000 {
            #expect(rate.ticks(of: rate.time(of: ticks)) == ticks, "\(ticks) at \(hertz) Hz")
        }
    }

    @Test func `A description without a rate has no clock`() {
        #expect(ClockRate(validating: 0) == nil && ClockRate(validating: 48_000) == .opus)
        #expect(ClockRate.opus.duration(of: 960) == .milliseconds(20))
        #expect(ClockRate.video.duration(of: 1800) == .milliseconds(20))
    }
}
