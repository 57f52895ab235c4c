import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct DipRecoveryTests {
    private func time(_ seconds: Double) -> MediaTime { MediaTime.zero + .seconds(seconds) }

    /// Steps of 50 ms from a time until there is none, or until `end`; returns the rates.
    private func rates(
        _ recovery: inout DipRecovery, from rate: Double, at start: Double, until end: Double, queue: Double = 0
    ) -> [Double] {
        var (rates, now) = ([rate], start)
        while now < end,
            let next = recovery.next(after: rates[rates.count - 1], queue: queue, elapsed: 0.05, at: time(now))
        {
            rates.append(next)
            now += 0.05
        }
        return rates
    }

    @Test func `Without a dip there is no way back`() {
        var recovery = DipRecovery()
        #expect(recovery.next(after: 1e5, queue: 0, elapsed: 0.05, at: time(1)) == nil)
        #expect(recovery.floor(at: time(1)) == 0)
    }

    @Test func `After cuts the rate returns to 0.85 of what it was before the first, by an eighth each 50 ms`() {
        var recovery = DipRecovery()
        recovery.recordCut(from: 1e6, at: time(1))
        recovery.recordCut(from: 4e5, at: time(1.5))
        #expect(recovery.goal == 1e6)
        let rates = rates(&recovery, from: 2e5, at: 2, until: 9)
        #expect(rates.last == 8.5e5 && rates.count == 14, "\(rates)")
        for (before, after) in zip(rates, rates.dropFirst()).dropLast() {
            #expect(abs(after / before - 1.125) < 1e-9)
        }
        #expect(recovery.goal == nil)
    }

    @Test func `While a queue stands nothing rises, and one on the way ends it`() {
        var recovery = DipRecovery()
        recovery.recordCut(from: 1e6, at: time(1))
        #expect(rates(&recovery, from: 2e5, at: 1.5, until: 2, queue: 0.3) == [2e5])
        #expect(recovery.goal == 1e6)
        #expect(rates(&recovery, from: 2e5, at: 2, until: 2.2).count > 3)
        #expect(recovery.next(after: 3e5, queue: 0.1, elapsed: 0.05, at: time(2.3)) == nil)
        #expect(recovery.goal == nil)
    }

    @Test func `A cut on the way lowers the goal to the rate at which it came`() {
        var recovery = DipRecovery()
        recovery.recordCut(from: 1e6, at: time(1))
        _ = rates(&recovery, from: 2e5, at: 2, until: 2.5)
        recovery.recordCut(from: 6e5, at: time(2.5))
        #expect(recovery.goal == 6e5)
    }

    @Test func `After fifteen seconds it was no dip`() {
        var recovery = DipRecovery()
        recovery.recordCut(from: 1e6, at: time(1))
        #expect(recovery.next(after: 1e5, queue: 0, elapsed: 0.05, at: time(16.5)) == nil)
        recovery.recordCut(from: 3e5, at: time(17))
        #expect(recovery.goal == 3e5)
    }

    @Test func `For three seconds a quarter of the rate stays, and for six it is restored`() {
        var recovery = DipRecovery()
        recovery.recordCut(from: 1e6, at: time(1))
        recovery.recordCut(from: 5e5, at: time(2))
        #expect(recovery.floor(at: time(3.9)) == 2.5e5)
        #expect(recovery.floor(at: time(4)) == 0)
        #expect(recovery.floor(for: DipRecovery.keptTime.silence, at: time(6.9)) == 2.5e5)
        #expect(recovery.floor(for: DipRecovery.keptTime.silence, at: time(7)) == 0)
    }
}
