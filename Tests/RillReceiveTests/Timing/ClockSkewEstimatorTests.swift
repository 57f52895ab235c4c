import RillCore
import Testing

@testable import RillReceive

@Suite struct ClockSkewEstimatorTests {
    /// The estimate after each second of a stream of 5 frames a second: transits of 20 ms, the drift, jitter of that
    /// mean that only ever delays, and what the route adds.
    private func estimates(
        skew: Double, jitter: Double = 0, seconds: Int = 1500, seed: UInt64 = 1,
        route: (_ second: Int) -> Double = { _ in 0 }
    ) -> [Double] {
        var estimator = ClockSkewEstimator()
        var random = SeededGenerator(seed: seed)
        var estimates: [Double] = []
        for index in 0..<seconds * 5 {
            let time = Double(index) / 5
            let delay = jitter * random.exponential() + route(index / 5)
            estimator.add(Int64(20e6 + time * skew * 1e9 + delay * 1e6), at: .seconds(time))
            if index % 5 == 4 { estimates.append(estimator.skew) }
        }
        return estimates
    }

    private static let limit = 0.000_020

    @Test(arguments: [-0.0002, -0.00005, 0, 0.00005, 0.0002])
    func `The drift of the clocks is found under jitter`(skew: Double) {
        for seed in 1...5 as ClosedRange<UInt64> {
            let clean = estimates(skew: skew, seed: seed)
            #expect(clean.prefix(100).allSatisfy { $0 == 0 })
            #expect(clean.dropFirst(130).allSatisfy { abs($0 - skew) < 0.000_001 }, "\(skew), seed \(seed)")
            let scattered = estimates(skew: skew, jitter: 30, seed: seed)
            #expect(scattered.dropFirst(600).allSatisfy { abs($0 - skew) < Self.limit }, "\(skew), seed \(seed)")
        }
    }

    @Test(arguments: [300.0, -300], [-0.0002, 0.0002])
    func `A route change is not a drift`(step: Double, skew: Double) {
        for jitter in [0.0, 10] {
            let estimates = estimates(skew: skew, jitter: jitter, seconds: 2400) { $0 < 1003 ? 400 : 400 + step }
            let worst = estimates.dropFirst(640).map { abs($0 - skew) }.max() ?? 1
            #expect(worst < Self.limit, "step \(step) ms, \(skew), jitter \(jitter) ms: \(worst * 1e6) ppm")
        }
    }

    @Test func `A queue that lasts for a minute is not a drift`() {
        let estimates = estimates(skew: 0.0001, jitter: 5, seconds: 2400) { (1000..<1070).contains($0) ? 150 : 0 }
        let worst = estimates.dropFirst(640).map { abs($0 - 0.0001) }.max() ?? 1
        #expect(worst < Self.limit, "\(worst * 1e6) ppm")
    }

    @Test func `An ever-growing queue is bounded`() {
        let estimates = estimates(skew: 0.05, seconds: 600)
        #expect(estimates.last == 0.001)
        #expect(self.estimates(skew: -0.05, seconds: 600).last == -0.001)
    }

    @Test func `A jump of timestamps keeps the estimate`() {
        var estimator = ClockSkewEstimator()
        for index in 0..<1000 { estimator.add(Int64(index) * 100_000, at: .seconds(Double(index))) }
        let before = estimator.skew
        #expect(abs(before - 0.0001) < 1e-9)
        estimator.restart()
        for index in 1000..<1400 { estimator.add(Int64(index) * 100_000 - 7_000_000_000, at: .seconds(Double(index))) }
        #expect(abs(estimator.skew - before) < 1e-9)
    }
}

extension SeededGenerator {
    /// A number of the exponential distribution of mean 1, by von Neumann's comparison of uniform ones (1951).
    mutating func exponential() -> Double {
        var whole = 0.0
        while true {
            let first = unitInterval()
            var (last, count) = (first, 0)
            while true {
                let next = unitInterval()
                count += 1
                guard next < last else { break }
                last = next
            }
            // An odd number of comparisons accepts the first one.
            if count % 2 == 1 { return whole + first }
            whole += 1
        }
    }
}
