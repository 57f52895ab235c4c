import RillCore
import RillReceive
import Testing

@Suite struct FreezeMeterTests {
    /// A meter that was shown frames with these gaps in milliseconds.
    private func meter(_ gaps: [Double]) -> FreezeMeter.Statistics {
        var meter = FreezeMeter()
        var now = 0.0
        meter.shown(at: .zero)
        for gap in gaps {
            now += gap
            meter.shown(at: .milliseconds(now))
        }
        return meter.statistics
    }

    private func steady(_ gap: Double, _ count: Int = 40) -> [Double] { Array(repeating: gap, count: count) }

    @Test(arguments: [(20.0, 170.0), (50.0, 200.0), (100.0, 300.0), (200.0, 600.0)])
    func `A gap of three times the mean or 150 milliseconds more is a freeze`(gap: Double, threshold: Double) {
        #expect(meter(steady(gap) + [threshold - 1] + steady(gap)).freezeCount == 0)
        let frozen = meter(steady(gap) + [threshold] + steady(gap))
        #expect(frozen.freezeCount == 1)
        #expect(frozen.totalFreezesDuration == .seconds(threshold / 1000))
    }

    @Test func `The mean is that of the last thirty`() {
        // Thirty gaps of 100 ms after many of 1 s: the second has been forgotten.
        #expect(meter(steady(1000, 50) + steady(100, 30) + [300]).freezeCount == 1)
        #expect(meter(steady(1000, 50) + steady(100, 20) + [300]).freezeCount == 0)
    }

    @Test func `Five gaps must be seen first`() {
        #expect(meter(steady(20, 4) + [1000]).freezeCount == 0)
        #expect(meter(steady(20, 5) + [1000]).freezeCount == 1)
    }

    @Test func `Gaps over half a second are counted separately`() {
        let statistics = meter(steady(400) + [500] + [501] + steady(400))
        #expect(statistics.freezeCount == 0)
        #expect(statistics.longGapCount == 1)
        #expect(statistics.totalLongGapsDuration == .milliseconds(501))
    }

    @Test func `Gaps over five seconds are pauses too`() {
        let statistics = meter(steady(100) + [5000] + steady(100) + [5001])
        #expect(statistics.freezeCount == 2 && statistics.longGapCount == 2)
        #expect(statistics.pauseCount == 1)
        #expect(statistics.totalPausesDuration == .milliseconds(5001))
    }

    @Test func `Frames and their distances are summed`() {
        let statistics = meter([100, 300])
        #expect(statistics.framesRendered == 3)
        #expect(statistics.totalInterFrameDelay == .milliseconds(400))
        #expect(abs(statistics.totalSquaredInterFrameDelay - 0.1) < 1e-12)
    }
}
