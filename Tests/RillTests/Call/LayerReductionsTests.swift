import RillCodec
import RillCore
import RillTestSupport
import Testing

@testable import Rill

/// Who is sent small layers only, so that one network does not decide for all.
@Suite struct LayerReductionsTests {
    /// 45 kbit/s; 200 to 800 kbit/s: the floor is at 245.
    private static let layers = [
        BitrateAllocator.Layer(.high, minimum: .kilobits(200), target: .kilobits(800), maximum: .kilobits(800)),
        BitrateAllocator.Layer(.low, minimum: .kilobits(11), target: .kilobits(45), maximum: .kilobits(45)),
    ]
    private static let both: LayerSet = [.layer(0), .layer(1)]
    private static let low = LayerSet.layer(1)

    /// A call whose participants' networks carry what a test says, 30 times a second.
    private struct Call {
        var reductions = LayerReductions()
        var layers = LayerReductionsTests.layers
        var wanted: [Int: LayerSet] = [:]
        var now = MediaTime.zero
        /// The changes and their times in milliseconds.
        var changes: [(time: Int, change: LayerReductions.Change)] = []

        mutating func run(_ seconds: Double, _ rates: [Int: Int]) {
            for _ in 0..<Int(seconds * 30) {
                let members = rates.sorted { $0.key < $1.key }.map { id, rate in
                    LayerReductions.Member(
                        id: id, wanted: wanted[id] ?? LayerReductionsTests.both, bitrate: .kilobits(rate))
                }
                var found: [LayerReductions.Change] = []
                reductions.update(members, layers: layers, at: now) { found.append($0) }
                let time = Int((now - .zero).milliseconds)
                changes += found.map { (time, $0) }
                now += MediaDuration(nanoseconds: 33_333_333)
            }
        }

        var limits: [LayerReductions.Change] {
            changes.map(\.change).filter { if case .limited = $0 { true } else { false } }
        }

        func times(_ change: LayerReductions.Change) -> [Int] { changes.filter { $0.change == change }.map(\.time) }

        var probes: [(time: Int, of: Bitrate)] {
            changes.compactMap { if case .probe(_, let rate) = $0.change { ($0.time, rate) } else { nil } }
        }
    }

    @Test func `Who falls below the floor gets the low layer, after 300 ms, and the others keep theirs`() {
        var call = Call()
        call.run(1, [1: 900, 2: 900, 3: 900])
        #expect(call.changes.isEmpty)
        // A dip that is short reduces nobody.
        call.run(0.25, [1: 900, 2: 100, 3: 900])
        call.run(1, [1: 900, 2: 900, 3: 900])
        #expect(call.changes.isEmpty)
        call.run(1, [1: 900, 2: 100, 3: 900])
        #expect(call.limits == [.limited(2, to: Self.low)])
        #expect((2530...2640).contains(call.changes[0].time), "\(call.changes)")
        #expect(call.reductions.isReduced(2) && !call.reductions.isReduced(1) && !call.reductions.isReduced(9))
    }

    @Test func `The layer returns after two seconds, and later each time that it does not last`() {
        var call = Call()
        call.run(1, [1: 900, 2: 900])
        var holds: [Int] = []
        for _ in 0..<6 {
            call.run(1, [1: 900, 2: 100])
            let start = Int((call.now - .zero).milliseconds)
            call.run(40, [1: 900, 2: 300])
            let returned = call.times(.limited(2, to: .all)).last ?? 0
            holds.append((returned - start + 500) / 1000)
            // It did not last: the time counts from the return.
            call = Call(
                reductions: call.reductions, now: .zero + .milliseconds(returned) + .seconds(1))
        }
        #expect(holds == [2, 4, 8, 16, 30, 30])
        call.run(12, [1: 900, 2: 300])
        call.run(1, [1: 900, 2: 100])
        let start = Int((call.now - .zero).milliseconds)
        call.run(5, [1: 900, 2: 300])
        #expect((call.times(.limited(2, to: .all)).last ?? 0) - start < 2100, "it lasted, so it is 2 s again")
    }

    @Test func `Less than 1.2 times the floor does not bring it back, and probes become rare`() {
        var call = Call()
        call.run(1, [1: 900, 2: 900])
        call.run(120, [1: 900, 2: 280])
        #expect(call.changes.isEmpty, "above the floor nobody is reduced")
        call.run(1, [1: 900, 2: 200])
        let start = Int((call.now - .zero).milliseconds) - 1000
        call.run(120, [1: 900, 2: 280])
        #expect(call.limits == [.limited(2, to: Self.low)])
        let times = call.probes.map { ($0.time - start + 500) / 1000 }
        #expect(times == [2, 4, 8, 16, 33, 63, 93], "\(times)")
        #expect(call.probes.allSatisfy { $0.of == .kilobits(441) })
    }

    @Test func `Where nobody is above the floor, all follow the slowest`() {
        var call = Call()
        call.run(5, [1: 200, 2: 60, 3: 230])
        #expect(call.changes.isEmpty)
        // The one who was protected leaves.
        call.run(2, [1: 200, 2: 60, 3: 900])
        #expect(call.limits == [.limited(1, to: Self.low), .limited(2, to: Self.low)])
        call.run(1, [1: 200, 2: 60])
        #expect(call.limits.suffix(2) == [.limited(1, to: .all), .limited(2, to: .all)])
    }

    @Test func `A claim of much reduces nobody else, but a quarter of the median does`() {
        var call = Call()
        call.layers = [
            BitrateAllocator.Layer(.high, minimum: .kilobits(500), target: .megabits(4), maximum: .megabits(4)),
            Self.layers[1],
        ]
        call.run(1, [1: 700, 2: 700, 3: 700])
        call.run(3, [1: 1_000_000, 2: 700, 3: 800])
        #expect(call.changes.isEmpty, "the median is 800 kbit/s")
        call.run(3, [1: 4000, 2: 700, 3: 4000])
        #expect(call.limits == [.limited(2, to: Self.low)], "a quarter of 4 Mbit/s is more than 700 kbit/s")
    }

    @Test func `Who joins gets the low layer until an estimate shows that it harms nobody`() {
        var call = Call()
        call.run(1, [1: 2000])
        call.run(0.4, [1: 2000, 2: 300])
        #expect(call.limits == [.limited(2, to: Self.low)] && call.changes[0].time == 999)
        // Probed at once, and again while it is new: 0.9 of 845 kbit/s, half as much above it.
        let probe = call.probes.first
        #expect(probe?.time == 1033 && probe?.of == Bitrate(bitsPerSecond: 1_140_750), "\(call.probes)")
        call.run(0.5, [1: 2000, 2: 1100])
        #expect(call.limits == [.limited(2, to: Self.low), .limited(2, to: .all)])
        // One whose network carries less than the others get: as any other after 5 s.
        call.run(4.9, [1: 2000, 2: 1100, 3: 400])
        #expect(call.limits.count == 3)
        call.run(2.3, [1: 2000, 2: 1100, 3: 400])
        #expect(call.limits.last == .limited(3, to: .all))
    }

    @Test func `Who wants thumbnails only is not concerned, and two who begin together neither`() {
        var call = Call()
        call.wanted[2] = Self.low
        call.run(3, [1: 900, 2: 60])
        #expect(call.changes.isEmpty)
        var other = Call()
        other.run(3, [1: 300, 2: 300, 3: 300])
        #expect(other.changes.isEmpty)
    }

    @Test func `Of three layers the two smaller ones stay as far as they are carried`() {
        var call = Call()
        call.layers = [
            BitrateAllocator.Layer(.high, minimum: .kilobits(500), target: .megabits(2), maximum: .megabits(2)),
            BitrateAllocator.Layer(.medium, minimum: .kilobits(100), target: .kilobits(400), maximum: .kilobits(400)),
            Self.layers[1],
        ]
        for id in 1...3 { call.wanted[id] = [.layer(0), .layer(1), .layer(2)] }
        call.run(1, [1: 3000, 2: 3000, 3: 3000])
        call.run(1, [1: 3000, 2: 600, 3: 200])
        #expect(call.limits == [.limited(2, to: [.layer(1), .layer(2)]), .limited(3, to: .layer(2))])
        call.run(0.1, [1: 3000, 2: 200, 3: 200])
        #expect(call.limits.last == .limited(2, to: .layer(2)))
    }

    @Test func `Random rates: nobody above the floor is reduced, nobody below it stays`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            var call = Call()
            let rates = Dictionary(
                uniqueKeysWithValues: (1...Int.random(in: 2...17, using: &random)).map {
                    ($0, Int(Double.random(in: 4...8, using: &random) * .random(in: 5...300, using: &random)))
                })
            call.run(8, rates.mapValues { max($0, 300) })
            call.run(3, rates)
            let least = rates.values.filter { $0 >= 245 }
            for (id, rate) in rates {
                #expect(
                    call.reductions.isReduced(id) == (rate < 245 && !least.isEmpty), "\(id): \(rate) of \(rates)")
            }
        }
    }
}

/// The key frames that a participant may cause.
@Suite struct KeyFrameBudgetTests {
    @Test func `Three at once, then one in three seconds, however many are asked for`() {
        var budget = KeyFrameBudget()
        var granted: [Int] = []
        for time in 0..<600 {
            let now = MediaTime.zero + .milliseconds(100 * time)
            if budget.take(0, at: now) { granted.append(time) }
            if budget.note(0, isKey: false, at: now) { granted.append(time) }
        }
        #expect(granted.prefix(4) == [0, 1, 2, 30] && granted.count == 3 + 19, "\(granted)")
    }

    @Test func `What waits comes at its time, or with a key frame for another reason`() {
        var budget = KeyFrameBudget()
        for _ in 0..<3 { _ = budget.take(0, at: .zero) }
        let asked = budget.take(0, at: .zero + .seconds(1))
        let early = budget.note(0, isKey: false, at: .zero + .seconds(2))
        let other = budget.note(1, isKey: false, at: .zero + .seconds(3))
        let due = budget.note(0, isKey: false, at: .zero + .seconds(3))
        let again = budget.note(0, isKey: false, at: .zero + .seconds(9))
        #expect(!asked && !early && !other && due && !again)
        var second = KeyFrameBudget()
        for _ in 0..<4 { _ = second.take(1, at: .zero) }
        let made = second.note(1, isKey: true, at: .zero + .seconds(1))
        let later = second.note(1, isKey: false, at: .zero + .seconds(4))
        #expect(!made && !later)
    }
}
