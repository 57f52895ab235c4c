import RillCore
import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct CapacityScatterTests {
    /// Twenty measurements a second.
    private func isSteady(seconds: Int, _ capacity: (Double) -> Double) -> Bool {
        var scatter = CapacityScatter()
        for step in 0..<20 * seconds {
            scatter.add(capacity(Double(step) / 20), at: .zero + .milliseconds(50 * step))
        }
        return scatter.isSteady
    }

    @Test func `A wired link is steady, and so is a fair share that grows slowly`() {
        var random = SeededGenerator(seed: 1)
        #expect(isSteady(seconds: 20) { _ in 1e6 * .random(in: 0.92...1.08, using: &random) })
        #expect(isSteady(seconds: 20) { 1e6 + 1e5 * $0 })
        #expect(isSteady(seconds: 20) { 3e6 / (1 + $0 / 20) })
    }

    @Test func `A radio link is not steady`() {
        var random = SeededGenerator(seed: 1)
        var capacity = 1e6
        #expect(
            !isSteady(seconds: 20) { time in
                // It changes twice a second.
                if Int(time * 20) % 10 == 0 { capacity = 1e6 * .random(in: 0.4...1.6, using: &random) }
                return capacity
            })
    }

    @Test func `A step is forgotten after some seconds`() {
        #expect(isSteady(seconds: 30) { $0 < 10 ? 2.5e6 : 5e5 })
        #expect(!isSteady(seconds: 10) { $0 < 9 ? 2.5e6 : 5e5 })
    }
}
