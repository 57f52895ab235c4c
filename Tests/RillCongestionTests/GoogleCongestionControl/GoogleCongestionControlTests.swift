import RillCongestion
import RillTestSupport
import Testing

/// The reference on the links on which Chromium was measured. Comparisons with a weak reference would be worthless.
///
/// It has no probes, so it starts at the rate that a probe would find.
@Suite struct GoogleCongestionControlTests {
    private func call(
        _ link: String, seconds: Int, seed: UInt64, start: Int,
        _ capacity: @escaping @Sendable (MediaTime) -> Double
    ) throws -> BottleneckCall {
        let controller = GoogleCongestionControl(start: .kilobits(start), range: .kilobits(50) ... .kilobits(2500))
        return try BottleneckCall(
            link: link, seconds: seconds, seed: seed, controller: controller, capacity: capacity)
    }

    private let seeds = 1...(isLongRun ? 20 : 5) as ClosedRange<UInt64>

    /// Chromium: .80 (.79 to .82), 13 ms, p95 35 ms.
    @Test func `Of 1000 kbit per second it uses about 0.82, as Chromium does`() throws {
        let calls = try seeds.map { try call("rate=1M", seconds: 90, seed: $0, start: 800) { _ in 1e6 } }
        let use = calls.map { $0.utilization(30, 90, of: 1e6) }
        let wait = calls.map { $0.wait(30, 90) }
        note(
            "GCC, 1000 kbit/s: \(use.median) of the capacity (\(use.min() ?? 0) to \(use.max() ?? 0)), "
                + "wait \(wait.map(\.mean).median) ms, p95 \(wait.map(\.p95).median) ms")
        #expect((0.76...0.88).contains(use.median), "\(use)")
        #expect((5...30).contains(wait.map(\.mean).median), "\(wait)")
    }

    /// Chromium: 23 % lost, back at 90 % after 25.8 s.
    @Test func `A drop to a fifth costs it a fifth of the packets, and it takes 25 s to come back, as with Chromium`()
        throws
    {
        let calls = try seeds.map { seed in
            try call("rate=2500k/500k@30s/2500k@60s", seconds: 100, seed: seed, start: 2000) {
                (30..<60).contains($0.seconds) ? 5e5 : 2.5e6
            }
        }
        let lost = calls.map { $0.lossShare(30, 40) }
        let back = calls.map { $0.time(toReach: 2.25e6, after: 60) ?? 40 }
        let use = calls.map { $0.utilization(40, 60, of: 5e5) }
        note(
            "GCC, 2500 -> 500 -> 2500: \(lost.median) lost in 10 s (\(lost.min() ?? 0) to \(lost.max() ?? 0)), back after "
                + "\(back.median) s, \(use.median) of 500 kbit/s")
        #expect((0.15...0.32).contains(lost.median), "\(lost)")
        #expect((18...30).contains(back.median), "\(back)")
    }
}
