import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct ProbePlannerTests {
    private func seconds(_ value: Double) -> MediaTime { .zero + .seconds(value) }

    @Test func `Nothing is probed while trains show the path`() {
        var planner = ProbePlanner()
        planner.noteTrain(at: seconds(1))
        let early = planner.take(rate: 3e5, most: 2e6, at: seconds(1.5))
        #expect(early == nil)
        let cluster = planner.take(rate: 3e5, most: 2e6, at: seconds(2.5))
        #expect(cluster == ProbeCluster(byteCount: 1125, packetCount: 5, rate: .kilobits(600)))
        #expect(planner.count == 1)
    }

    @Test func `A rate that was known before is probed at once`() {
        var planner = ProbePlanner()
        planner.noteTrain(at: seconds(1))
        planner.ask(for: 1.6e6)
        let cluster = planner.take(rate: 5e4, most: 2e6, at: seconds(1.1))
        #expect(cluster?.rate == .kilobits(1600))
    }

    @Test func `Probes stay within 2 % of what is sent, beside the first ones`() {
        var planner = ProbePlanner()
        var (sent, probed) = (0, 0)
        for frame in 0..<36_000 {
            planner.noteSent(byteCount: 250)
            sent += 250
            if let cluster = planner.take(rate: 6e4, most: 2e6, at: FrameRate(30).time(ofFrame: frame)) {
                probed += cluster.byteCount
            }
        }
        #expect(probed <= sent / 50 + 10_000 && probed > sent / 100, "\(probed) of \(sent)")
    }

    @Test func `The highest rate needs no probe`() {
        var planner = ProbePlanner()
        let cluster = planner.take(rate: 1.99e6, most: 2e6, at: .zero)
        #expect(cluster == nil)
    }
}

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

    @Test func `Without a queue for three seconds nobody is there`() {
        var contention = Contention()
        _ = run(&contention, 2) { time, _ in time < 1 }
        #expect(contention.isSeen)
        _ = contention.update(isStanding: false, roundTrip: 0.1, at: .zero + .seconds(5))
        #expect(!contention.isSeen)
    }
}

@Suite struct CeilingTests {
    private func seconds(_ value: Double) -> MediaTime { .zero + .seconds(value) }

    @Test func `The more often it was found, the longer nothing is tried`() {
        var ceiling = Ceiling()
        var (time, waits) = (0.0, [Double]())
        for _ in 0..<7 {
            ceiling.note(1e6, sending: 1.05e6, queue: 0.02, at: seconds(time))
            ceiling.noteEmpty()
            waits.append(-ceiling.calm(at: seconds(time)))
            time += 40
        }
        #expect(ceiling.rate == 1e6 && waits == [1, 2, 4, 8, 16, 32, 32])
    }

    @Test func `A higher rate is taken over at once, a lower one after a second`() {
        var ceiling = Ceiling()
        ceiling.note(1e6, sending: 1e6, queue: 0.01, at: .zero)
        ceiling.noteEmpty()
        ceiling.note(1.5e6, sending: 1.6e6, queue: 0.01, at: seconds(3))
        #expect(ceiling.rate == 1.5e6)
        ceiling.noteEmpty()
        for step in 0..<18 { ceiling.note(5e5, sending: 1.5e6, queue: 0.01, at: seconds(6 + Double(step) / 20)) }
        #expect(ceiling.rate == 1.5e6)
        for step in 18..<90 { ceiling.note(5e5, sending: 1.5e6, queue: 0.01, at: seconds(6 + Double(step) / 20)) }
        #expect(ceiling.rate ?? 0 < 5.1e5)
    }
}
