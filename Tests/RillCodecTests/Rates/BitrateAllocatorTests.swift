import Glibc
import RillCore
import Testing

@testable import RillCodec

@Suite struct BitrateAllocatorTests {
    private static let low = BitrateAllocator.Layer(
        .low, minimum: .kilobits(30), target: .kilobits(45), maximum: .kilobits(60))
    private static let middle = BitrateAllocator.Layer(
        "mid", minimum: .kilobits(100), target: .kilobits(300), maximum: .kilobits(400))
    private static let high = BitrateAllocator.Layer(
        .high, minimum: .kilobits(500), target: .kilobits(800), maximum: .kilobits(1500))

    private func kilobits(_ split: BitrateAllocator.Split, _ count: Int = 3) -> [Int] {
        (0..<count).map { split[$0].bitsPerSecond / 1000 }
    }

    @Test(arguments: [
        (0, [0, 0, 0]),  // nothing is to be sent
        (1, [0, 0, 1]), (20, [0, 0, 20]),  // less than its minimum: the low layer lives on what there is
        (45, [0, 0, 45]), (100, [0, 0, 60]),  // up to its maximum; the rest is left
        (164, [0, 0, 60]), (165, [0, 120, 45]),  // 45 + 1.2 · 100: the middle one begins
        (345, [0, 300, 45]), (500, [0, 400, 60]),
        (944, [0, 400, 60]), (945, [600, 300, 45]),  // 345 + 1.2 · 500: the high one begins
        (1845, [1500, 300, 45]), (2000, [1500, 400, 60]), (1_000_000, [1500, 400, 60]),
    ])
    func `Layers are served from the smallest on`(total: Int, expected: [Int]) {
        var allocator = BitrateAllocator(layers: [Self.high, Self.middle, Self.low])
        #expect(kilobits(allocator.split(.kilobits(total))) == expected, "\(total) kbit/s")
    }

    @Test func `A layer that is on is kept down to its minimum`() {
        var allocator = BitrateAllocator(layers: [Self.high, Self.middle, Self.low])
        _ = allocator.split(.kilobits(945))
        #expect(kilobits(allocator.split(.kilobits(845))) == [500, 300, 45])
        #expect(kilobits(allocator.split(.kilobits(844))) == [0, 400, 60])
        #expect(kilobits(allocator.split(.kilobits(944))) == [0, 400, 60])
    }

    @Test func `Changed layers stay on as long as possible`() {
        var before = BitrateAllocator(layers: [Self.high, Self.middle, Self.low])
        _ = before.split(.kilobits(945))
        // The middle one is switched off, and the low one wants more: 1.2 times the high one's minimum is not there.
        var low = Self.low
        (low.target, low.maximum) = (.kilobits(100), .kilobits(100))
        var changed = BitrateAllocator(layers: [low, Self.high], keepingActive: before)
        #expect(kilobits(changed.split(.kilobits(650)), 2) == [100, 550])
        var second = BitrateAllocator(layers: [low, Self.high])
        #expect(kilobits(second.split(.kilobits(650)), 2) == [100, 0])
        // A layer that was off has to earn its place.
        var without = BitrateAllocator(layers: [Self.high, Self.middle, Self.low])
        _ = without.split(.kilobits(500))
        var kept = BitrateAllocator(layers: [low, Self.high], keepingActive: without)
        #expect(kilobits(kept.split(.kilobits(650)), 2) == [100, 0])
    }

    /// A total that ripples by a tenth, at every mean, in every period: a layer is switched once at most.
    @Test(arguments: [1, 10, 100])
    func `A steady total keeps layers from oscillating`(period: Int) {
        for step in 0..<60 {
            let mean = 40_000 * pow(1.06, Double(step))
            var allocator = BitrateAllocator(layers: [Self.high, Self.middle, Self.low])
            var (recent, switches, wasActive) = ([Int](), 0, [false, false, false])
            for tick in 0..<period * 40 {
                let total = Int(mean * (1 + 0.1 * sin(2 * .pi * Double(tick) / 10 / Double(period))))
                recent.append(total)
                let steady = recent.suffix(20).min() ?? total
                let split = allocator.split(Bitrate(bitsPerSecond: total), steady: Bitrate(bitsPerSecond: steady))
                let isActive = (0..<3).map { split.isActive($0) }
                if isActive != wasActive { switches += 1 }
                wasActive = isActive
            }
            #expect(switches <= 3, "\(Int(mean)) bit/s: \(switches) switches")
        }
    }

    @Test func `The largest rates do not overflow`() {
        let most = Bitrate(bitsPerSecond: .max / 8)
        let layers = ["a", "b", "c"].map { BitrateAllocator.Layer($0, minimum: most, target: most, maximum: most) }
        var allocator = BitrateAllocator(layers: layers)
        #expect(allocator.split(Bitrate(bitsPerSecond: .max)).total.bitsPerSecond == .max / 8 * 3)
    }

    /// Random walks of the total, of small steps and large ones, over random layers.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `Random walks never make a layer oscillate`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let layers = (0..<Int.random(in: 1...3, using: &random)).map { index in
            let minimum = Int.random(in: 20_000...500_000, using: &random)
            let target = minimum + Int.random(in: 0...500_000, using: &random)
            return BitrateAllocator.Layer(
                ["a", "b", "c"][index], minimum: Bitrate(bitsPerSecond: minimum),
                target: Bitrate(bitsPerSecond: target),
                maximum: Bitrate(bitsPerSecond: target + Int.random(in: 0...500_000, using: &random)))
        }
        let smallest = layers.indices.min { (layers[$0].minimum, $0) < (layers[$1].minimum, $1) } ?? 0
        var allocator = BitrateAllocator(layers: layers)
        var total = 0
        var previous = allocator.split(Bitrate(bitsPerSecond: 0))
        var switchedAt = [Int?](repeating: nil, count: layers.count)
        var switches = 0
        for step in 0..<20_000 {
            let reach = step % 100 == 0 ? 2_000_000 : 20_000
            total = min(max(0, total + Int.random(in: -reach...reach, using: &random)), 4_000_000)
            let split = allocator.split(Bitrate(bitsPerSecond: total))
            #expect(split.total.bitsPerSecond <= total)
            #expect(split == allocator.split(Bitrate(bitsPerSecond: total)), "the same total splits in another way")
            #expect(split.isActive(smallest) == (total > 0), "the smallest layer is kept alive first")
            for index in layers.indices {
                let layer = layers[index]
                #expect(split[index] <= layer.maximum)
                #expect(index == smallest || !split.isActive(index) || split[index] >= layer.minimum)
                guard split.isActive(index) != previous.isActive(index), index != smallest else { continue }
                if let last = switchedAt[index] {
                    let needed = Double(layer.minimum.bitsPerSecond) * 0.19
                    #expect(Double(abs(total - last)) >= needed, "layer \(index) switched twice around \(total)")
                }
                switchedAt[index] = total
                switches += 1
            }
            previous = split
        }
        #expect(layers.count == 1 || switches > 10, "the walk never switched a layer: the test shows nothing")
    }

    @Test func `Temporal layers share the bits`() {
        let rate = Bitrate.kilobits(100)
        #expect((0..<1).map { TemporalShares(count: 1).bitrate(upTo: $0, of: rate).bitsPerSecond } == [100_000])
        #expect(
            (0..<2).map { TemporalShares(count: 2).bitrate(upTo: $0, of: rate).bitsPerSecond } == [60_000, 100_000])
        #expect(
            (0..<3).map { TemporalShares(count: 3).bitrate(upTo: $0, of: rate).bitsPerSecond }
                == [40_000, 60_000, 100_000])
        #expect(TemporalShares(count: 3).bitrate(upTo: 2, of: Bitrate(bitsPerSecond: .max)).bitsPerSecond == .max)
    }
}
