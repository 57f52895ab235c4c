import RillCongestion
import RillTestSupport
import Testing

/// Links of one flow without loss, with synthetic frames. Chromium on the same links: 0.80 of 1000 kbit/s after 2.6 s, 13 ms of wait; 23 % lost in
/// ten seconds after 2500 → 500, and 25.8 s back.
@Suite struct SteadyLinkTests {
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `A link of 1000 kbit per second is filled within 2.5 s, and its queue stays short`(seed: UInt64) throws {
        let call = try BottleneckCall(link: "rate=1M", seconds: 60, seed: seed) { _ in 1e6 }
        let (use, wait) = (call.utilization(30, 60, of: 1e6), call.wait(30, 60))
        let start = call.time(toReach: 900_000, after: 0)
        note("seed \(seed): \(use) of the capacity, wait \(wait.mean) ms, p95 \(wait.p95), 90 % after \(start ?? -1) s")
        #expect(use >= 0.9 && wait.mean <= 20)
        #expect(call.lossShare(0, 60) <= 0.01)
        #expect(try #require(start) <= 2.5)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `A link that narrows to a fifth loses little, and one that widens is filled again`(seed: UInt64) throws {
        let call = try BottleneckCall(link: "rate=2500k/500k@30s/2500k@60s", seconds: 100, seed: seed) { time in
            (30..<60).contains(time.seconds) ? 5e5 : 2.5e6
        }
        let uses = [
            call.utilization(20, 30, of: 2.5e6), call.utilization(40, 60, of: 5e5),
            call.utilization(85, 100, of: 2.5e6),
        ]
        let (lost, up) = (call.lossShare(30, 40), call.time(toReach: 2.25e6, after: 60))
        note("seed \(seed): \(uses) of the capacity, \(lost) lost after the drop, 90 % again after \(up ?? -1) s")
        #expect(uses.allSatisfy { $0 >= 0.9 })
        #expect([call.wait(20, 30).mean, call.wait(40, 60).mean, call.wait(85, 100).mean].allSatisfy { $0 <= 20 })
        #expect(lost <= 0.09)
        #expect(try #require(up) <= 7)
    }
}
