import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct ContentionTests {
    /// Feeds updates every 50 ms, and returns the times at which a trial began.
    private func run(
        _ contention: inout Contention, _ seconds: Double, isStanding: (Double, Contention) -> Bool
    ) -> [Double] {
        var trials: [Double] = []
        for step in 0..<Int(seconds * 20) {
            let (time, wasTried) = (Double(step) / 20, contention.isTried)
            _ = contention.update(
                isStanding: isStanding(time, contention), roundTrip: 0.1, at: .zero + .seconds(time))
            if contention.isTried, !wasTried { trials.append(time) }
        }
        return trials
    }

    @Test func `Others are seen while their queue comes back after trials`() {
        var contention = Contention()
        let trials = run(&contention, 40) { time, contention in time > 1 && !contention.isTried }
        #expect(contention.isSeen && trials.count >= 3 && abs(trials[0] - 4.05) < 0.11, "\(trials)")
    }

    @Test func `A queue that drains in a trial was our own`() {
        var contention = Contention()
        let trials = run(&contention, 40) { time, _ in (1...4.2).contains(time) }
        #expect(!contention.isSeen && !contention.isJudged && trials.count == 1)
    }

    @Test func `A queue that is seen once is none, and one that is seen twice is`() {
        var contention = Contention()
        _ = run(&contention, 2) { time, _ in Int(time * 20 + 0.5) % 2 == 0 }
        #expect(!contention.isSeen)
        _ = run(&contention, 2) { time, _ in Int(time * 20 + 0.5) % 3 != 0 }
        #expect(contention.isSeen)
    }

    @Test func `Without a queue for three seconds nobody is there`() {
        var contention = Contention()
        _ = run(&contention, 2) { time, _ in time < 1 }
        #expect(contention.isSeen)
        _ = contention.update(isStanding: false, roundTrip: 0.1, at: .zero + .seconds(5))
        #expect(!contention.isSeen)
    }
}
