import Testing

@testable import RillCongestion

@Suite struct RoundTripStallTests {
    private func roundTrip(_ samples: [Double]) -> RoundTrip {
        var roundTrip = RoundTrip()
        for sample in samples {
            roundTrip.add(sample)
            roundTrip.update()
        }
        return roundTrip
    }

    private let usual = (0..<40).map { 0.1 + 0.002 * Double($0 % 10) }

    @Test func `It is the longest of the last sixteen samples`() {
        #expect(RoundTrip().seconds == 0.2)
        #expect(roundTrip([0.1, 0.14, 0.12]).seconds == 0.14)
        #expect(roundTrip([0.3] + [Double](repeating: 0.1, count: 15)).seconds == 0.3)
        #expect(roundTrip([0.3] + [Double](repeating: 0.1, count: 16)).seconds == 0.1)
    }

    @Test func `The samples of a stall do not count, nor those of a queue that grows`() {
        let before = roundTrip(usual).seconds
        #expect(roundTrip(usual + [0.9, 1.9, 2.9, 2.5, 1.2, 0.6]).seconds == before)
        // Half a second more within a second.
        #expect(roundTrip(usual + (0..<20).map { 0.1 + 0.03 * Double($0) }).seconds <= 0.4)
    }

    @Test func `A path that became longer counts after some seconds of feedback`() {
        #expect(roundTrip(usual + [Double](repeating: 0.8, count: 63)).seconds < 0.2)
        #expect(roundTrip(usual + [Double](repeating: 0.8, count: 64)).seconds == 0.8)
    }
}
