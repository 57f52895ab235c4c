import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct ContentionTests {
    /// Feeds updates every 50 ms, and returns the start times of yield tests.
    private func run(
        _ contention: inout Contention, _ seconds: Double, isStanding: (Double, Contention) -> Bool
    ) -> [Double] {
        var tests: [Double] = []
        for step in 0..<Int(seconds * 20) {
            let (time, wasTesting) = (Double(step) / 20, contention.isTesting)
            _ = contention.update(
                isStanding: isStanding(time, contention), roundTrip: 0.1, at: .zero + .seconds(time))
            if contention.isTesting, !wasTesting { tests.append(time) }
        }
        return tests
    }

    @Test func `Cross traffic is detected while its queue returns after tests`() {
        var contention = Contention()
        let tests = run(&contention, 40) { time, contention in time > 1 && !contention.isTesting }
        #expect(contention.isDetected && tests.count >= 3 && abs(tests[0] - 4.05) < 0.11, "\(tests)")
    }

    @Test func `A queue that drains in a yield test was our own`() {
        var contention = Contention()
        let tests = run(&contention, 40) { time, _ in (1...4.2).contains(time) }
        #expect(!contention.isDetected && !contention.isObserving && tests.count == 1)
    }

    @Test func `A single observation is no queue, and a second one is`() {
        var contention = Contention()
        _ = run(&contention, 2) { time, _ in Int(time * 20 + 0.5) % 2 == 0 }
        #expect(!contention.isDetected)
        _ = run(&contention, 2) { time, _ in Int(time * 20 + 0.5) % 3 != 0 }
        #expect(contention.isDetected)
    }

    @Test func `Three seconds without a queue end contention`() {
        var contention = Contention()
        _ = run(&contention, 2) { time, _ in time < 1 }
        #expect(contention.isDetected)
        _ = contention.update(isStanding: false, roundTrip: 0.1, at: .zero + .seconds(5))
        #expect(!contention.isDetected)
    }

    @Test func `Flows that the dispersion shows end after eight seconds without a queue, and no test is made`() {
        var contention = Contention()
        var tests = 0
        for step in 0..<160 {
            _ = contention.update(
                isStanding: step < 10, isEvident: true, roundTrip: 0.1, at: .zero + .seconds(Double(step) / 20))
            tests += contention.isTesting ? 1 : 0
        }
        #expect(contention.isDetected && tests == 0)
        _ = contention.update(isStanding: false, isEvident: true, roundTrip: 0.1, at: .zero + .seconds(8.5))
        #expect(!contention.isDetected)
    }

    @Test func `A rate that is nearly the capacity for two seconds leaves no room for others`() {
        var contention = Contention()
        var end: Double?
        for step in 0..<60 where end == nil {
            let time = Double(step) / 20
            _ = contention.update(
                isStanding: true, isEvident: true, isWhole: step > 2, roundTrip: 0.1, at: .zero + .seconds(time))
            if step > 0, !contention.isDetected { end = time }
        }
        #expect((2...2.2).contains(end ?? 0), "\(end ?? 0)")
    }
}
