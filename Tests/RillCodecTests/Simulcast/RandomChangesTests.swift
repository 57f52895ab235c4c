import Glibc
import RillCodec
import RillCore
import RillTestSupport
import Testing

/// Three layers of one codec while everything that may change at run time changes at random.
struct RandomChangesTests {
    private static let isLong = unsafe getenv("RILL_LONG_TESTS") != nil
    private static let frameCount = isLong ? 10_000 : 1500

    @Test(arguments: VideoCodec.allCases.map(\.rawValue))
    func `Every layer decodes throughout, without unrequested key frames`(codec: String) async throws {
        // A process of its own: memory is what the whole of it takes.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [codec] in
            try ChangingCall(try #require(VideoCodec(rawValue: codec)), seed: 77).run(frameCount: Self.frameCount)
        }
        if let output = result?.standardOutputContent { print(String(decoding: output, as: UTF8.self), terminator: "") }
    }
}

private final class ChangingCall {
    private let codec: VideoCodec
    private let encoder: SimulcastEncoder
    private let decoders: [VPXDecoder]
    private let pictures: [VideoFrame]
    private var random: SeededGenerator
    private var expectations: [Expectation]

    /// The expected state of one layer.
    private struct Expectation {
        /// A key frame has to come with the next frame.
        var isKeyFrameDue = true
        var framesSinceKeyFrame = 0
        var frames = 0
        var keyFrames = 0
        var unchanged = 0
    }

    private static let sizes = [(64, 48), (96, 64), (80, 46), (33, 35), (128, 96)].map {
        Resolution(width: $0.0, height: $0.1)
    }

    init(_ codec: VideoCodec, seed: UInt64) throws {
        self.codec = codec
        var layers = ["a", "b", "c"].enumerated().map { index, rid in
            LayerSettings(
                rid: StreamLayer.RID(stringLiteral: rid), resolution: Self.sizes[index], frameRate: 30,
                bitrate: .kilobits(150), encoder: EncoderSettings(codec))
        }
        layers[1].encoder.temporalPattern = .l1t2
        layers[2].encoder.temporalPattern = .l1t3
        encoder = try SimulcastEncoder(layers: layers)
        decoders = try layers.map { _ in try VPXDecoder(codec, poolCapacity: 1) }
        let source = try TestPictures(Resolution(width: 128, height: 96), seed: 4, capacity: 12)
        pictures = (0..<12).map(source.picture)
        random = SeededGenerator(seed: seed)
        expectations = layers.map { _ in Expectation() }
    }

    func run(frameCount: Int) throws {
        var resident: [Int] = []
        for index in 0..<frameCount {
            if index % max(1, frameCount / 10) == 0 { resident.append(try residentByteCount()) }
            for layer in expectations.indices where random.next() % 12 == 0 { try change(layer) }
            // Now and then the source stands still.
            let picture = index / 40 % 5 == 4 ? index / 40 : index
            try encode(pictures[picture % pictures.count], index)
        }
        resident.append(try residentByteCount())
        // The memory of three encoders depends on their present sizes and switches: a few MiB of VP9's eighty.
        let growth = (resident.suffix(4).max() ?? 0) - (resident.dropFirst().prefix(4).max() ?? 0)
        #expect(isAddressSanitized || growth < 8 << 20, "\(codec): \(resident)")
        for (layer, seen) in zip(encoder.layers, expectations) {
            #expect(seen.frames > frameCount / 10 && seen.keyFrames > frameCount / 100, "\(seen)")
            #expect(
                layer.statistics.framesEncoded == seen.frames && layer.statistics.keyFramesEncoded == seen.keyFrames)
        }
        let counts = expectations.map { "\($0.frames) (\($0.keyFrames) key)" }.joined(separator: ", ")
        print("\(codec.rawValue): frames \(counts); resident growth \(growth / 1024) KiB")
    }

    private func encode(_ picture: VideoFrame, _ index: Int) throws {
        var frame = picture
        frame.captureTime = FrameRate(30).time(ofFrame: index)
        try encoder.encode(frame) { coded, payload in
            let layer = ["a", "b", "c"].firstIndex(of: coded.layer.rid.description) ?? 0
            let isExpected = expectations[layer].isKeyFrameDue || expectations[layer].framesSinceKeyFrame == 3000
            #expect(coded.isKey == isExpected, "\(codec), frame \(index), layer \(layer): \(expectations[layer])")
            guard case .picture(let shown) = try decoders[layer].decode(payload, captureTime: .zero) else {
                Issue.record("\(codec), frame \(index), layer \(layer) gives no picture")
                return
            }
            #expect(shown.resolution == encoder.plan.settings[layer].resolution)
            expectations[layer].isKeyFrameDue = false
            expectations[layer].framesSinceKeyFrame = coded.isKey ? 1 : expectations[layer].framesSinceKeyFrame + 1
            expectations[layer].frames += 1
            expectations[layer].keyFrames += coded.isKey ? 1 : 0
        }
    }

    private func change(_ layer: Int) throws {
        switch random.next() % 16 {
        case 0...3: try set(layer) { $0.bitrate = .kilobits(20 + Int(self.random.next() % 400)) }
        case 4:
            let size = Self.sizes[Int(random.next() % UInt64(Self.sizes.count))]
            if size != encoder.plan.settings[layer].resolution { expectations[layer].isKeyFrameDue = true }
            try set(layer) { $0.resolution = size }
        case 5: setActive(false, layer)
        case 6...8: setActive(true, layer)
        case 9:
            encoder.plan.requestRestart(layer: layer)
            expectations[layer].isKeyFrameDue = true
        case 10: try set(layer) { $0.frameRate = [5, 12, 15, 30, 60][Int(self.random.next() % 5)] }
        case 11: try set(layer) { $0.encoder.content = self.random.next() % 2 == 0 ? .screen : .camera }
        case 12:
            try set(layer) {
                $0.encoder.speed =
                    self.codec == .vp8 ? -Int(self.random.next() % 12) - 1 : 5 + Int(self.random.next() % 5)
            }
        case 13: try set(layer) { $0.encoder.isDenoising.toggle() }
        case 14: try set(layer) { $0.encoder.quantizers = 2...(40 + Int(self.random.next() % 20)) }
        default:
            encoder.plan.requestKeyFrame(layer: layer)
            expectations[layer].isKeyFrameDue = true
        }
    }

    private func set(_ layer: Int, _ change: (inout LayerSettings) -> Void) throws {
        try encoder.plan.change(layer: layer, change)
    }

    private func setActive(_ isActive: Bool, _ layer: Int) {
        if isActive, !encoder.plan.isActive(layer: layer) { expectations[layer].isKeyFrameDue = true }
        encoder.plan.setActive(isActive, layer: layer)
    }
}
