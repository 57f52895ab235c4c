import RillCore
import RillRTP
import Testing

@Suite struct NTPTimestampTests {
    @Test func `The example of RFC 3550 is 10 November 1995, 11:33:25.125`() {
        // Figure 2: n SR(n), NTP 0xb44db705:20000000. 1995-11-10 11:33:25 UTC is Unix time 816003205.
        let stamp = NTPTimestamp(seconds: 0xB44D_B705, fraction: 0x2000_0000)
        #expect(stamp.nanoseconds(since: .unixEpoch) == 816_003_205_125_000_000)
        #expect(NTPTimestamp.unixEpoch.advanced(byNanoseconds: 816_003_205_125_000_000) == stamp)
        #expect("\(stamp)" == "b44db705:20000000")
        #expect("\(stamp.short)" == "b705:2000")
    }

    @Test func `Nanoseconds survive the way there and back`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10_000 {
            let start = NTPTimestamp(rawValue: random.next())
            // 68 years either way, and as often less than a second.
            let nanoseconds = Int64(bitPattern: random.next()) / (random.next() & 1 == 0 ? 5 : 5_000_000_000)
            let end = start.advanced(byNanoseconds: nanoseconds)
            #expect(end.nanoseconds(since: start) == nanoseconds, "from \(start)")
        }
    }

    @Test func `Time continues when the era ends in 2036`() {
        let last = NTPTimestamp(seconds: .max, fraction: 0x8000_0000)
        let next = last.advanced(byNanoseconds: 750_000_000)
        #expect(next == NTPTimestamp(seconds: 0, fraction: 0x4000_0000))
        #expect(next.nanoseconds(since: last) == 750_000_000)
        #expect(last.nanoseconds(since: next) == -750_000_000)
    }

    @Test func `The short form counts in 15 microseconds and clamps`() {
        #expect(NTPShort(nanoseconds: 5_250_000_000).rawValue == 0x0005_4000)
        #expect(NTPShort(rawValue: 0x0005_4000).nanoseconds == 5_250_000_000)
        #expect(NTPShort(nanoseconds: 0) == .zero)
        #expect(NTPShort(nanoseconds: -1) == .zero)
        #expect(NTPShort(nanoseconds: .min) == .zero)
        #expect(NTPShort(nanoseconds: .max).rawValue == .max)
        #expect(NTPShort(nanoseconds: 7629).rawValue == 0)
        #expect(NTPShort(nanoseconds: 7630).rawValue == 1)
        #expect(NTPShort(rawValue: .max).nanoseconds == 65_535_999_984_741)
    }

    @Test func `Short points in time are compared across their wrap`() {
        let late = NTPShort(rawValue: 0xFFFF_FFF0)
        let next = NTPShort(rawValue: 0x10)
        #expect(next.distance(since: late) == 0x20)
        #expect(late.distance(since: next) == -0x20)
        #expect(next &- NTPShort(rawValue: 0x20) == late)
    }
}
