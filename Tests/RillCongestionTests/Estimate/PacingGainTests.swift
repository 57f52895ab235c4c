import Testing

@testable import RillCongestion

@Suite struct PacingGainTests {
    /// The rates of flows on 3 Mbit/s whose trains always interleave, after some measurements.
    private func converge(_ rates: [Double], pace: (Double) -> Double) -> [Double] {
        var rates = rates
        for _ in 0..<60 {
            let paces = rates.map(pace)
            let sum = paces.reduce(0, +)
            rates = paces.map { BandwidthEstimate.aim * 3e6 * $0 / sum }
        }
        return rates
    }

    private static let divisions: [[Double]] = [
        [2.4e6, 3.6e5], [3e5, 2.5e6], [2.9e6, 5e4], [4.5e5, 1.35e6, 1.1e6], [2.6e6, 1e5, 1e5],
    ]

    @Test(arguments: divisions)
    func `Flows whose trains interleave become equal`(rates: [Double]) {
        let fair = BandwidthEstimate.aim * 3e6 / Double(rates.count)
        for rate in converge(rates, pace: { PacingGain.of($0) }) {
            #expect(abs(rate - fair) < 0.15 * fair, "\(rate) instead of \(fair)")
        }
    }

    @Test func `With one pacing gain for all, any division would confirm itself`() {
        let rates = converge([2.4e6, 3.6e5]) { 1.5 * $0 }
        #expect(rates[0] > 6 * rates[1])
    }

    @Test func `A higher rate has a higher pacing rate, and a lower gain`() {
        var (pace, factor) = (0.0, 2.0)
        for rate in stride(from: 5e4, through: 1.2e7, by: 1e4) {
            #expect(PacingGain.of(rate) > pace)
            pace = PacingGain.of(rate)
            #expect(pace / rate <= factor + 1e-9 && (1.299...2.001).contains(pace / rate))
            factor = pace / rate
        }
        #expect(PacingGain.of(1.2e6) == 1.8e6)
    }
}
