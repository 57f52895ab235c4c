import RillCore
import RillSession
import RillTestSupport
import Testing

/// A layer that the network does not carry is given up for a smaller one, and comes back: with packets, losses and
/// jitter buffers.
@Suite struct LayerFallbackTests {
    private struct Change {
        var time: Double
        var change: LayerChoice.Change
    }

    /// Requests the high layer for a duration, and follows the choice.
    private func run(_ test: LayeredCall, until end: Double) -> [Change] {
        var choice = LayerChoice(
            sizes: [.vga, Resolution(width: 160, height: 120)], fallback: LayerFallback.Settings())
        var changes: [Change] = []
        choice.want(.layer(0), at: test.call.now)
        while test.call.now < .seconds(end) {
            if test.selector.wanted != choice.chosen { test.want(choice.chosen) }
            test.call.run(until: min(.seconds(end), choice.deadline))
            let session = test.call.bob.session
            let change = choice.update(at: test.call.now) { session.statistics(of: test.received[$0]) }
            if let change { changes.append(Change(time: Double(test.call.now.nanoseconds) / 1e9, change: change)) }
        }
        return changes
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `A link that becomes too slow shows the low layer, and the high one when it recovers`(
        seed: UInt64
    ) throws {
        let test = try LayeredCall(seed: seed, over: "delay=20ms,rate=3M/300k@10s/3M@40s,queue=300ms")
        let changes = run(test, until: 80)
        let fall = try #require(changes.first)
        guard case .fellBack(from: 0, to: 1, _) = fall.change else {
            Issue.record("\(changes)")
            return
        }
        #expect((10...15).contains(fall.time), "\(changes)")
        let inTheMiddle = test.shown.filter { $0.shownAt > .seconds(17) && $0.shownAt < .seconds(18) }
        #expect(inTheMiddle.count >= 4 && inTheMiddle.allSatisfy { $0.layer == 1 }, "\(inTheMiddle)")
        // It was tried in vain meanwhile, but not often.
        #expect(changes.count { $0.time < 40 && $0.change == .recovered(to: 0) } <= 2, "\(changes)")
        let last = try #require(changes.last)
        #expect(last.change == .recovered(to: 0) && (40...62).contains(last.time), "\(changes)")
        #expect(test.shown.last?.layer == 0)
        test.expectRisingTimes("seed \(seed)")
    }

    @Test(arguments: ["delay=20ms", "delay=60ms,loss=5%,jitter=20ms", "delay=40ms,loss=2%,spikes=250ms/30s"])
    func `A network that repair copes with changes nothing`(network: String) throws {
        let test = try LayeredCall(seed: 9, over: network)
        #expect(run(test, until: 120).isEmpty && test.shown.last?.layer == 0)
    }
}
