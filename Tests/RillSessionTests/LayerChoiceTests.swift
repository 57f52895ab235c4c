import RillCore
import RillSession
import Testing

@testable import RillReceive

/// Which layer has to come: by name, by size, by what the network carries.
@Suite struct LayerChoiceTests {
    private static let sizes = [Resolution.vga, Resolution(width: 160, height: 120)]

    @Test func `By size the smallest layer is taken that need not be magnified much`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: nil)
        func chosen(_ width: Int, _ height: Int) -> Int? {
            choice.want(.automatic(shownAt: Resolution(width: width, height: height)), at: .zero)
            return choice.chosen
        }
        #expect(chosen(160, 120) == 1)
        #expect(chosen(240, 180) == 1)
        #expect(chosen(250, 190) == 0)
        // A window that is dragged to and fro keeps its layer for a while.
        #expect(chosen(230, 172) == 0)
        #expect(chosen(190, 142) == 1)
        #expect(chosen(230, 172) == 1)
        #expect(chosen(1920, 1080) == 0)
        // A wide strip is filled in its width.
        #expect(chosen(1000, 120) == 1)
    }

    @Test func `Pictures say how large a layer is`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: nil)
        choice.want(.automatic(shownAt: Resolution(width: 400, height: 300)), at: .zero)
        #expect(choice.chosen == 0)
        choice.note(Resolution(width: 320, height: 240), of: 1, at: .zero)
        #expect(choice.chosen == 1)
    }

    @Test func `What is not seen falls to the smallest layer, and then to none`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: LayerFallback.Settings())
        choice.want(.automatic(shownAt: .vga), at: .zero)
        choice.want(.automatic(shownAt: nil), at: .zero + .seconds(1))
        #expect(choice.chosen == 1)
        var now = choice.deadline
        while choice.chosen != nil, now < .zero + .seconds(100) {
            #expect(choice.update(at: now) { _ in nil } == nil)
            if choice.chosen != nil { now = choice.deadline }
        }
        #expect(now == .zero + .seconds(6))
        choice.want(.automatic(shownAt: .vga), at: .zero + .seconds(7))
        #expect(choice.chosen == 0)
        choice.want(.none, at: .zero + .seconds(8))
        #expect(choice.chosen == nil && choice.deadline == .distantFuture)
    }

    @Test func `Where the wanted layer does not come, one that comes replaces it`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: LayerFallback.Settings())
        choice.want(.layer(0), at: .zero)
        // Nothing comes yet; then only the small one.
        var now = choice.deadline
        #expect(choice.update(at: now) { _ in nil } == nil && choice.chosen == 0 && choice.awaited == nil)
        now = choice.deadline
        #expect(choice.update(at: now) { $0 == 1 ? InboundStatistics() : nil } == nil)
        #expect(choice.chosen == 1 && choice.awaited == 0)
        // It comes; then it is muted, which is looked at without a wait.
        now = choice.deadline
        #expect(choice.update(at: now) { _ in InboundStatistics() } == nil)
        #expect(choice.chosen == 0 && choice.awaited == nil)
        choice.expedite(at: now + .milliseconds(1))
        #expect(choice.deadline == now + .milliseconds(1))
        _ = choice.update(at: choice.deadline) { $0 == 1 ? InboundStatistics() : nil }
        #expect(choice.chosen == 1 && choice.awaited == 0)
        // All are muted: the wanted one is awaited.
        _ = choice.update(at: choice.deadline) { _ in nil }
        #expect(choice.chosen == 0)
        // Who wants the small one has nothing smaller.
        choice.want(.layer(1), at: choice.deadline)
        _ = choice.update(at: choice.deadline) { $0 == 0 ? InboundStatistics() : nil }
        #expect(choice.chosen == 1 && choice.awaited == nil)
    }

    /// A network on which the large layer loses that share of its frames.
    private struct Network {
        var lossOfLarge = 0.0
        var lossOfSmall = 0.0
        var isStill = false
        private var counts = [InboundStatistics(), InboundStatistics()]
        private var buffers = [Counter(), Counter()]

        struct Counter {
            var emitted = 0.0
            var failed = 0.0
            var requests = 0
        }

        mutating func run(_ layer: Int, for seconds: Double) {
            let frames = (layer == 0 ? 30 : 5) * seconds
            let loss = layer == 0 ? lossOfLarge : lossOfSmall
            if isStill, layer == 0 {
                buffers[0].requests += 1
                return
            }
            buffers[layer].emitted += frames * (1 - loss)
            buffers[layer].failed += frames * loss
        }

        func statistics(_ layer: Int) -> InboundStatistics {
            InboundStatistics.of(
                emitted: Int(buffers[layer].emitted), failed: Int(buffers[layer].failed),
                keyFrameRequests: buffers[layer].requests)
        }
    }

    /// Runs to `end`; what changed, and when.
    private func run(
        _ choice: inout LayerChoice, _ network: inout Network, from start: inout MediaTime, until end: Double
    ) -> [(LayerChoice.Change, Double)] {
        var changes: [(LayerChoice.Change, Double)] = []
        while choice.deadline < .zero + .seconds(end) {
            let now = max(start, choice.deadline)
            if let layer = choice.chosen { network.run(layer, for: Double((now - start).nanoseconds) / 1_000_000_000) }
            start = now
            let current = network
            if let change = choice.update(at: now, { current.statistics($0) }) {
                changes.append((change, Double(now.nanoseconds) / 1_000_000_000))
            }
        }
        return changes
    }

    @Test func `On a bad network the smaller layer is used, and the larger one returns when it recovers`() throws {
        var choice = LayerChoice(sizes: Self.sizes, fallback: LayerFallback.Settings())
        var (network, now) = (Network(), MediaTime.zero)
        choice.want(.layer(0), at: now)
        #expect(run(&choice, &network, from: &now, until: 20).isEmpty, "a good network changes nothing")
        network.lossOfLarge = 0.5
        let fall = run(&choice, &network, from: &now, until: 25)
        #expect(fall.count == 1 && choice.chosen == 1)
        guard case .fellBack(from: 0, to: 1, .frames(let share)) = try #require(fall.first).0 else {
            Issue.record("\(fall)")
            return
        }
        #expect(share > 0.2 && fall[0].1 < 22.6)
        network.lossOfLarge = 0
        let back = run(&choice, &network, from: &now, until: 60)
        #expect(back.count == 1 && back[0].0 == .recovered(to: 0) && choice.chosen == 0)
        #expect(back[0].1 - fall[0].1 >= 8 && back[0].1 - fall[0].1 < 10)
    }

    @Test func `A network that stays bad is tried less and less often`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: LayerFallback.Settings())
        var (network, now) = (Network(), MediaTime.zero)
        network.lossOfLarge = 0.4
        choice.want(.layer(0), at: now)
        let changes = run(&choice, &network, from: &now, until: 600)
        let falls = changes.filter { if case .fellBack = $0.0 { true } else { false } }.map(\.1)
        let gaps = zip(falls, falls.dropFirst()).map { $1 - $0 }
        #expect((6...14).contains(falls.count), "\(falls)")
        #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $1 > $0 - 1 } && gaps.allSatisfy { $0 < 70 }, "\(gaps)")
        // Most of the time the picture is good.
        let bad = Double(falls.count) * 2.5
        #expect(bad < 60)
    }

    @Test func `As long as the smaller layer is bad too the larger one is not tried`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: LayerFallback.Settings())
        var (network, now) = (Network(), MediaTime.zero)
        (network.lossOfLarge, network.lossOfSmall) = (0.5, 0.5)
        choice.want(.layer(0), at: now)
        #expect(run(&choice, &network, from: &now, until: 100).count == 1 && choice.chosen == 1)
    }

    @Test func `A stalled layer is abandoned, a paused one is not`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: LayerFallback.Settings())
        var (network, now) = (Network(), MediaTime.zero)
        choice.want(.layer(0), at: now)
        _ = run(&choice, &network, from: &now, until: 10)
        // Nothing comes, and nothing is missed: a still screen.
        while choice.deadline < .zero + .seconds(20) {
            now = choice.deadline
            let current = network
            #expect(choice.update(at: now, { current.statistics($0) }) == nil)
        }
        network.isStill = true
        let fall = run(&choice, &network, from: &now, until: 28)
        #expect(fall.count == 1 && choice.chosen == 1, "\(fall)")
    }

    @Test func `The app can forbid it, and a new choice is tried at once`() {
        var choice = LayerChoice(sizes: Self.sizes, fallback: nil)
        var (network, now) = (Network(), MediaTime.zero)
        network.lossOfLarge = 0.5
        choice.want(.layer(0), at: now)
        #expect(choice.deadline == .distantFuture && choice.chosen == 0)
        choice = LayerChoice(sizes: Self.sizes, fallback: LayerFallback.Settings())
        choice.want(.layer(0), at: now)
        let fall = run(&choice, &network, from: &now, until: 6)
        #expect(fall.count == 1 && choice.chosen == 1, "\(fall)")
        choice.want(.layer(1), at: now)
        choice.want(.layer(0), at: now)
        #expect(choice.chosen == 0)
    }
}

extension InboundStatistics {
    fileprivate static func of(emitted: Int, failed: Int, keyFrameRequests: Int) -> InboundStatistics {
        var statistics = InboundStatistics()
        statistics.jitterBufferEmittedCount = emitted
        statistics.drops.incomplete = failed
        statistics.pliCount = keyFrameRequests
        return statistics
    }
}
