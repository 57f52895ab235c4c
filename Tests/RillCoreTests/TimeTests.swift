import RillCore
import Testing

struct TimeTests {
    @Test(arguments: [FrameRate(30), FrameRate(30000, per: 1001), FrameRate(24000, per: 1001), 5, 12, 1])
    func `Frame times land on their ticks and do not drift`(rate: FrameRate) {
        for index in [0, 1, 2, 3, 29, 30, 1001, 107_892, 10_000_000] {
            let time = rate.time(ofFrame: index)
            let exact = Double(index) * Double(rate.denominator) / Double(rate.numerator)
            #expect(abs(time.seconds - exact) < 1e-6, "\(rate) \(index)")
            // Nanoseconds are fine enough to give back the 90 kHz tick that the frame rate means.
            let ticks = (Double(index) * 90_000 * Double(rate.denominator) / Double(rate.numerator)).rounded()
            #expect(Double(time.ticks(rate: 90_000)) == ticks, "\(rate) \(index)")
        }
    }

    @Test func `Ticks and times round trip in both directions`() {
        for ticks in [-90_001, -1, 0, 1, 2, 3000, 89_999, 4_294_967_296, 7_776_000_000] as [Int64] {
            #expect(MediaTime(ticks: ticks, rate: 90_000).ticks(rate: 90_000) == ticks)
        }
    }

    @Test func `Durations read as people write them`() {
        #expect(MediaDuration.milliseconds(40).description == "40ms")
        #expect(MediaDuration.microseconds(350).description == "0.350ms")
        #expect(MediaDuration.seconds(1.25).description == "1.250s")
        #expect((MediaDuration.zero - .milliseconds(1500)).description == "-1.500s")
    }

    @Test func `Swift durations convert`() {
        #expect(MediaDuration(.milliseconds(20)) == .milliseconds(20))
        #expect(MediaDuration(.seconds(-3)) == .seconds(-3))
        #expect(MediaDuration(.nanoseconds(7)).nanoseconds == 7)
        #expect(MediaDuration(.seconds(Int64.max)).nanoseconds == .max)
    }

    @Test func `A frame rate from outside is checked`() {
        #expect(FrameRate(validating: 0, per: 1) == nil)
        #expect(FrameRate(validating: 30, per: 0) == nil)
        #expect(FrameRate(validating: -30, per: 1) == nil)
        #expect(FrameRate(validating: .max, per: 1) == nil)
        #expect(FrameRate(validating: 30000, per: 1001) == FrameRate(30000, per: 1001))
    }
}
