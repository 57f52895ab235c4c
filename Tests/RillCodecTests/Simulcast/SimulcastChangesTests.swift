import Glibc
import RillCodec
import RillCore
import RillTestSupport
import Testing

/// Two layers while bitrates, switches and key-frame requests change at random: each goes its own way.
struct SimulcastChangesTests {
    static let seeds: ClosedRange<UInt64> = unsafe getenv("RILL_LONG_TESTS") != nil ? 1...100 : 1...4

    @Test(arguments: seeds)
    func `Each layer decodes throughout, and knows nothing of the other`(seed: UInt64) throws {
        let script = Script(seed: seed)
        let both = try encode(script)
        for layer in 0..<2 {
            #expect(both[layer].count > 20, "seed \(seed), layer \(layer)")
            try expectDecodable(both[layer], "seed \(seed), layer \(layer)")
            expectKeyFrames(
                both[layer], where: script.keyFrames(of: both[layer].map(\.index), layer: layer), seed, layer)

            let alone = try encode(script.only(layer: layer))
            let isEqual = alone[layer].map(\.payload) == both[layer].map(\.payload)
            #expect(isEqual, "seed \(seed): layer \(layer) has other bytes where nothing is asked of the other layer")
        }
    }

    private func expectDecodable(_ frames: [Coded], _ context: String) throws {
        let decoder = try VPXDecoder()
        for frame in frames {
            guard case .picture = try decoder.decode(frame.payload.span, captureTime: .zero) else {
                Issue.record("\(context): frame \(frame.index) gives no picture")
                return
            }
        }
    }

    private func expectKeyFrames(_ frames: [Coded], where expected: [Int], _ seed: UInt64, _ layer: Int) {
        #expect(frames.filter(\.isKey).map(\.index) == expected, "seed \(seed), layer \(layer)")
        // The encoder's flag equals that of the bytes (RFC 6386 §9.1).
        #expect(frames.allSatisfy { $0.isKey == ($0.payload[0] & 1 == 0) }, "seed \(seed), layer \(layer)")
    }

    private struct Coded {
        /// The place of its source frame.
        var index: Int
        var isKey: Bool
        var payload: [UInt8]
    }

    private static let resolution = Resolution(width: 128, height: 96)

    /// A few pictures, drawn once, which are played over and over.
    private static let pictures = Result {
        let source = try TestPictures(resolution, seed: 9, capacity: 25)
        return (0..<25).map(source.picture)
    }

    private func encode(_ script: Script) throws -> [[Coded]] {
        let pictures = try Self.pictures.get()
        var low = LayerSettings.low
        (low.resolution, low.frameRate) = (Resolution(width: 56, height: 48), 12)
        let high = LayerSettings.high(Self.resolution, bitrate: .kilobits(150))
        let encoder = try SimulcastEncoder(layers: [high, low])
        var coded: [[Coded]] = [[], []]
        for index in 0..<Script.frameCount {
            for step in script.steps where step.index == index { try step.apply(to: &encoder.plan) }
            var picture = pictures[index % pictures.count]
            picture.captureTime = FrameRate(30).time(ofFrame: index)
            try encoder.encode(picture) { frame, payload in
                coded[frame.layer.rid == .high ? 0 : 1].append(
                    Coded(index: index, isKey: frame.isKey, payload: payload.array))
            }
        }
        return coded
    }
}

/// The requests for each layer, by frame.
private struct Script {
    static let frameCount = 500

    struct Step {
        var index: Int
        var layer: Int
        var change: Change

        func apply(to plan: inout SimulcastPlan) throws {
            switch change {
            case .bitrate(let bitrate): try plan.change(layer: layer) { $0.bitrate = bitrate }
            case .active(let isActive): plan.setActive(isActive, layer: layer)
            case .keyFrame: plan.requestKeyFrame(layer: layer)
            }
        }
    }

    enum Change {
        case bitrate(Bitrate)
        case active(Bool)
        case keyFrame
    }

    private(set) var steps: [Step] = []

    /// Some sixty changes, several before one frame now and then.
    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for index in 0..<Self.frameCount {
            for layer in 0..<2 where random.next() % 16 == 0 {
                for _ in 0...random.next() % 2 {
                    steps.append(Step(index: index, layer: layer, change: Self.change(using: &random)))
                }
            }
        }
    }

    private static func change(using random: inout SeededGenerator) -> Change {
        switch random.next() % 5 {
        case 0, 1: .bitrate(.kilobits(10 + Int(random.next() % 300)))
        // On twice as often as off, or there would be little to see.
        case 2: .active(random.next() % 3 != 0)
        case 3: .active(true)
        default: .keyFrame
        }
    }

    /// The same without what is asked of the other layer.
    func only(layer: Int) -> Script {
        var script = self
        script.steps.removeAll { $0.layer != layer }
        return script
    }

    /// Which of a layer's coded frames have to be key frames: the first, the next one after each request, and the next
    /// one after each time that it was switched on.
    func keyFrames(of coded: [Int], layer: Int) -> [Int] {
        var causes = [0]
        var isActive = true
        for step in steps where step.layer == layer {
            switch step.change {
            case .bitrate: break
            case .keyFrame: causes.append(step.index)
            case .active(let wanted):
                if wanted, !isActive { causes.append(step.index) }
                isActive = wanted
            }
        }
        return Set(causes.compactMap { cause in coded.first { $0 >= cause } }).sorted()
    }
}
