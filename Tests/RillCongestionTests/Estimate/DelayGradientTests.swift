import RillTestSupport
import Testing

@testable import RillCongestion

/// The trendline and the detector behind it.
@Suite struct OveruseTests {
    /// The detector's results after each group. A group leaves every 20 ms and is delayed by this many milliseconds
    /// more than its predecessor.
    private func usages(_ delays: [Double]) -> (usages: [DelayGradient.Usage], threshold: Double) {
        var (trendline, detector) = (DelayGradient.Trendline(), DelayGradient.OveruseDetector())
        var time = MediaTime.zero
        let usages = delays.map { delay in
            time += .milliseconds(20) + .seconds(delay / 1000)
            let trend = trendline.add(.seconds(delay / 1000), arrival: time)
            detector.update(trend: trend, sendDelta: .milliseconds(20), arrival: time)
            return detector.usage
        }
        return (usages, detector.threshold)
    }

    @Test func `The slope is the rise of the delay over the time`() {
        var trendline = DelayGradient.Trendline()
        let slopes = (0..<200).map { index in
            trendline.add(.milliseconds(2), arrival: .zero + .milliseconds(22 * index))
        }
        #expect(slopes[18] == 0 && slopes[19] > 0)
        #expect(abs(slopes[199] - 2 / 22.0) < 1e-6, "\(slopes[199])")
    }

    @Test func `A rising ramp of the delay is overuse, and a falling one is not`() throws {
        let flat = [Double](repeating: 0, count: 60)
        let rising = usages(flat + [Double](repeating: 3, count: 20)).usages
        let first = try #require(rising.firstIndex(of: .overuse))
        // The delay is smoothed over ten groups, so overuse is detected within ten.
        #expect((61...70).contains(first), "\(first)")
        let falling = usages(flat + [Double](repeating: -3, count: 20)).usages
        #expect(!falling.contains(.overuse) && falling.contains(.underuse))
        #expect(usages(flat).usages.allSatisfy { $0 == .normal })
    }

    @Test func `A single late group is no overuse`() {
        let flat = [Double](repeating: 0, count: 60)
        #expect(!usages(flat + [8, -8] + flat).usages.contains(.overuse))
    }

    @Test func `The threshold falls to 6 ms on a quiet path, and rises with noise`() {
        #expect(usages([Double](repeating: 0, count: 400)).threshold == 6)
        let noise = (0..<400).map { $0 / 30 % 2 == 0 ? 2.0 : -2 }
        #expect(usages(noise).threshold > 12.5)
    }

    @Test func `The threshold moves by 0.0087 of the distance upwards and 0.039 downwards, each millisecond`() {
        var detector = DelayGradient.OveruseDetector()
        var time = MediaTime.zero
        /// An amplified gradient in milliseconds: the gain is 4, times the number of groups up to 60.
        func update(_ amplified: Double, count: Double) {
            time += .milliseconds(1)
            detector.update(trend: amplified / 4 / count, sendDelta: .milliseconds(1), arrival: time)
        }
        for count in 1...60 { update(12.5, count: Double(count)) }
        #expect(abs(detector.threshold - 12.5) < 1e-9)
        update(22.5, count: 60)
        #expect(abs(detector.threshold - 12.587) < 1e-9)
        update(2.587, count: 60)
        #expect(abs(detector.threshold - 12.197) < 1e-9)
        // More than 15 ms above it: a spike.
        update(27.198, count: 60)
        #expect(abs(detector.threshold - 12.197) < 1e-9)
    }
}
