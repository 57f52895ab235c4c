import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct ProbePlannerTests {
    private func seconds(_ value: Double) -> MediaTime { .zero + .seconds(value) }

    @Test func `No probe cluster is sent while trains measure the path`() {
        var planner = ProbePlanner()
        planner.recordTrain(at: seconds(1))
        let early = planner.take(rate: 3e5, most: 2e6, at: seconds(1.5))
        #expect(early == nil)
        let cluster = planner.take(rate: 3e5, most: 2e6, at: seconds(2.5))
        #expect(cluster == ProbeCluster(byteCount: 1125, packetCount: 5, rate: .kilobits(600)))
        #expect(planner.count == 1)
    }

    @Test func `A requested rate is probed at once`() {
        var planner = ProbePlanner()
        planner.recordTrain(at: seconds(1))
        planner.ask(for: 1.6e6)
        let cluster = planner.take(rate: 5e4, most: 2e6, at: seconds(1.1))
        #expect(cluster?.rate == .kilobits(1600))
    }

    @Test func `Probe clusters stay within 2 % of the sent bytes, beside the initial allowance`() {
        var planner = ProbePlanner()
        var (sent, probed) = (0, 0)
        for frame in 0..<36_000 {
            planner.recordSent(byteCount: 250)
            sent += 250
            if let cluster = planner.take(rate: 6e4, most: 2e6, at: FrameRate(30).time(ofFrame: frame)) {
                // Whole packets: far more than planned.
                planner.recordProbe(byteCount: cluster.byteCount + 1500)
                probed += cluster.byteCount + 1500
            }
        }
        #expect(probed <= sent / 50 + 12_500 && probed > sent / 100, "\(probed) of \(sent)")
    }

    @Test func `The highest rate needs no probe`() {
        var planner = ProbePlanner()
        let cluster = planner.take(rate: 1.99e6, most: 2e6, at: .zero)
        #expect(cluster == nil)
    }
}
