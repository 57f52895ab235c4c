import RillCore
import Testing

@testable import RillSession

@Suite struct PathLossTests {
    /// The share after ten seconds with a loss of 20 %, told ten times a second; a cut is noted at some of them.
    private func share(cuts: Set<Int> = []) -> Double {
        var loss = PathLoss()
        for tenth in 0..<100 {
            let now = MediaTime.zero + .milliseconds(100 * tenth)
            if cuts.contains(tenth) { loss.noteCut(at: now) }
            _ = loss.update(0.2, at: now)
        }
        return loss.share
    }

    @Test func `It is measured once a second, over some seconds`() {
        var loss = PathLoss()
        let measured = (0..<100).count { loss.update(0.2, at: .zero + .milliseconds(100 * $0)) }
        #expect(measured == 10)
        #expect(loss.share > 0.18 && loss.share < 0.2, "\(loss.share)")
    }

    @Test func `What a full queue drops does not count`() {
        // A cut every two seconds: the loss is that of the queue.
        #expect(share(cuts: [0, 20, 40, 60, 80]) == 0)
        #expect(share(cuts: [0]) > 0.15)
    }

    @Test func `Another path has lost nothing yet`() {
        var loss = PathLoss()
        _ = loss.update(0.5, at: .zero)
        loss.reset()
        #expect(loss.share == 0)
    }
}
