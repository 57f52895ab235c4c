import RillTestSupport
import Testing

@Suite struct LongCallTests {
    /// With `--all` two hours. `Scripts/bench jitter-buffer` measures how long two hours take: tests are not
    /// optimized themselves.
    @Test func `A call of hours ends as it started`() throws {
        let hours = isLongRun ? 2 : 0.05
        let seconds = Int(3600 * hours)
        let call = try SimulatedCall(CallPlan(seconds, rate: 2.5e6), seed: 1)
        let windows = [(30.0, 90.0), (Double(seconds - 60), Double(seconds))]
        let uses = windows.map { call.utilization($0.0, $0.1) }
        let waits = windows.map { call.wait($0.0, $0.1).mean }
        note("\(hours) hours: \(uses) of the capacity, wait \(waits) ms")
        #expect(uses.allSatisfy { $0 >= 0.9 } && waits.allSatisfy { $0 <= 20 }, "\(uses), \(waits)")
    }
}
