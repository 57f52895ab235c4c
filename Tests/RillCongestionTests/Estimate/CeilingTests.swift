import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct CeilingTests {
    private func seconds(_ value: Double) -> MediaTime { .zero + .seconds(value) }

    @Test func `Each confirmation of the ceiling delays the next probing`() {
        var ceiling = Ceiling()
        var (time, waits) = (0.0, [Double]())
        for _ in 0..<7 {
            ceiling.record(1e6, sending: 1.05e6, queue: 0.02, at: seconds(time))
            ceiling.recordEmptyQueue()
            waits.append(-ceiling.probingOverdue(at: seconds(time)))
            time += 40
        }
        #expect(ceiling.rate == 1e6 && waits == [1, 2, 4, 8, 16, 32, 32])
    }

    @Test func `A short queue at a steady rate does not confirm the ceiling`() {
        var ceiling = Ceiling()
        func see(_ arriving: Double, sending: Double, queue: Double, at time: Double) {
            ceiling.record(arriving, sending: sending, queue: queue, at: seconds(time))
            ceiling.recordEmptyQueue()
        }
        for time in [0.0, 40, 80] { see(1e6, sending: 1.05e6, queue: 0.02, at: time) }
        #expect(ceiling.confirmations == 2)
        // At the steady rate just below the ceiling, a second later and again: chance.
        for time in [81.0, 82] { see(0.95e6, sending: 0.975e6, queue: 0.003, at: time) }
        #expect(ceiling.confirmations == 2)
        see(0.95e6, sending: 0.975e6, queue: 0.03, at: 83)
        #expect(ceiling.confirmations == 3)
        see(1e6, sending: 1.01e6, queue: 0.003, at: 100)
        #expect(ceiling.confirmations == 4)
        // A chance queue during a rise makes the next rise earlier, but not fast.
        for step in 0..<5 { see(1e6, sending: 1.01e6, queue: 0.0001, at: 200 + 100 * Double(step)) }
        #expect(ceiling.confirmations == 2)
    }

    @Test func `A higher rate replaces the ceiling at once, a lower one after a second`() {
        var ceiling = Ceiling()
        ceiling.record(1e6, sending: 1e6, queue: 0.01, at: .zero)
        ceiling.recordEmptyQueue()
        ceiling.record(1.5e6, sending: 1.6e6, queue: 0.01, at: seconds(3))
        #expect(ceiling.rate == 1.5e6)
        ceiling.recordEmptyQueue()
        for step in 0..<18 { ceiling.record(5e5, sending: 1.5e6, queue: 0.01, at: seconds(6 + Double(step) / 20)) }
        #expect(ceiling.rate == 1.5e6)
        for step in 18..<90 { ceiling.record(5e5, sending: 1.5e6, queue: 0.01, at: seconds(6 + Double(step) / 20)) }
        #expect(ceiling.rate ?? 0 < 5.1e5)
    }
}
