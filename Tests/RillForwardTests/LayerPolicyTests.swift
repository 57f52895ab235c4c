import RillCore
import Testing

@testable import RillForward

@Suite struct LayerPolicyTests {
    private static let layers = [
        LayerPolicy.Layer(bits: 1_200_000, isLive: true), LayerPolicy.Layer(bits: 400_000, isLive: true),
        LayerPolicy.Layer(bits: 50_000, isLive: true),
    ]

    /// Chooses ten times a second.
    private func run(
        _ policy: inout LayerPolicy, from current: Int?, seconds: Double, at start: Double, bitrate: (Double) -> Double
    ) -> [Int?] {
        var (current, chosen) = (current, [Int?]())
        for step in 0..<Int(seconds * 10) {
            let time = start + Double(step) / 10
            current = policy.choose(
                Self.layers, current: current, bitrate: bitrate(time), isFull: false,
                at: .zero + .milliseconds(Int(time * 1000)))
            chosen.append(current)
        }
        return chosen
    }

    @Test(arguments: [(3e6, 0), (1.3e6, 0), (1e6, 1), (3e5, 2), (1e4, 2)])
    func `a viewer begins with the best layer that fits, or with the last`(bitrate: Double, layer: Int) {
        var policy = LayerPolicy()
        #expect(policy.choose(Self.layers, current: nil, bitrate: bitrate, isFull: false, at: .zero) == layer)
    }

    @Test func `what is not known does not limit`() {
        var policy = LayerPolicy()
        #expect(policy.choose(Self.layers, current: nil, bitrate: nil, isFull: false, at: .zero) == 0)
    }

    @Test func `it goes down soon, and up with room to spare`() {
        var policy = LayerPolicy()
        let down = run(&policy, from: 0, seconds: 5, at: 10) { _ in 6e5 }
        #expect(down.firstIndex(of: 1).map { $0 <= 4 } == true)
        #expect(down.last == 1)
        // The layer fits, but barely.
        #expect(run(&policy, from: 1, seconds: 10, at: 20) { _ in 1.3e6 }.allSatisfy { $0 == 1 })
        #expect(run(&policy, from: 1, seconds: 3, at: 40) { _ in 1.5e6 }.first == 0)
    }

    @Test func `a moment of too little is tolerated`() {
        var policy = LayerPolicy()
        let chosen = run(&policy, from: 0, seconds: 5, at: 10) { time in abs(time - 12) < 0.06 ? 5e5 : 3e6 }
        #expect(chosen.allSatisfy { $0 == 0 })
    }

    @Test func `a rise that does not last makes the next one later`() {
        var policy = LayerPolicy()
        var (current, changes): (Int?, [Double]) = (1, [])
        for step in 0..<6000 {
            let time = Double(step) / 10
            // A network that seems wide until it is used.
            let bitrate = current == 0 ? 8e5 : 2e6
            let next = policy.choose(
                Self.layers, current: current, bitrate: bitrate, isFull: false,
                at: .zero + .milliseconds(Int(time * 1000)))
            if next != current { changes.append(time) }
            current = next
        }
        let early = changes.count { $0 < 60 }
        let late = changes.count { $0 >= 540 }
        #expect(early >= 4 && late <= 6, "\(early) changes in the first minute, \(late) in the last")
    }

    @Test func `a layer that stops is left at once`() {
        var policy = LayerPolicy()
        var layers = Self.layers
        layers[0].isLive = false
        #expect(policy.choose(layers, current: 0, bitrate: 3e6, isFull: false, at: .zero) == 1)
        layers[1].isLive = false
        layers[2].isLive = false
        #expect(policy.choose(layers, current: 1, bitrate: 3e6, isFull: false, at: .zero) == nil)
    }
}
