import RillCodec
import RillCore
import RillTestSupport
import Testing

struct LayerSettingsTests {
    @Test(arguments: VideoCodec.allCases)
    func `The ladder follows the source`(codec: VideoCodec) throws {
        func ladder(_ width: Int, _ height: Int) -> [LayerSettings] {
            .standard(for: Resolution(width: width, height: height), codec: codec)
        }
        #expect(ladder(1280, 720).map(\.rid) == [.high, .medium, .low])
        #expect(ladder(1280, 720).map(\.resolution.description) == ["1280x720", "640x360", "160x120"])
        #expect(ladder(640, 480).map(\.rid) == [.high, .low])
        #expect(ladder(160, 120).map(\.rid) == [.high])
        for (width, height) in [(1, 1), (320, 240), (961, 541), (1920, 1080), (16383, 16383)] {
            let layers = ladder(width, height)
            _ = try SimulcastPlan(layers: layers)
            #expect(layers.allSatisfy { $0.encoder.codec == codec })
            for (larger, smaller) in zip(layers, layers.dropFirst()) {
                #expect(larger.bitrate > smaller.bitrate, "\(width)x\(height)")
                #expect(larger.resolution.pixelCount > smaller.resolution.pixelCount, "\(width)x\(height)")
            }
        }
    }

    @Test func `The low preset has its documented values`() {
        #expect(LayerSettings.low.resolution == .qqvga && LayerSettings.low.frameRate == 5)
        #expect(LayerSettings.low.bitrate == .kilobits(45) && LayerSettings.low.encoder.codec == .vp8)
    }

    @Test func `Errors have the layer's name`() {
        func refusal(_ change: (inout LayerSettings) -> Void) -> String? {
            var layer = LayerSettings.low
            change(&layer)
            do throws(CodecError) { _ = try SimulcastPlan(layers: [layer]) } catch { return "\(error)" }
            return nil
        }
        #expect(refusal { _ in } == nil)
        #expect(
            refusal { $0.bitrate = Bitrate(bitsPerSecond: 10) }?.contains(
                "layer low: with L1T1 the bitrate goes from 1k to 1000M, not 10") == true)
        #expect(refusal { $0.frameRate = 241 }?.contains("layer low: the frame rate goes up to 240, not 241") == true)
        #expect(refusal { $0.encoder.speed = 5 }?.contains("the speed of VP8 goes from -16 to -1, not 5") == true)
        #expect(
            refusal {
                $0.encoder = .init(.vp9); $0.encoder.speed = -5
            }?.contains("VP9 goes from 5 to 9") == true)
        #expect(
            refusal {
                ($0.encoder.dropThreshold, $0.encoder.temporalPattern) = (30, .l1t2)
            }?.contains("cannot be decoded") == true)
        #expect(refusal { $0.encoder.dropThreshold = 101 }?.contains("percentages") == true)
        #expect(refusal { $0.encoder.maximumKeyFramePercentage = -1 }?.contains("key frame's limit") == true)
        #expect(refusal { $0.encoder.bufferSize = .seconds(61) }?.contains("60 s") == true)
    }

    @Test func `A rate that was not set is not a limit and has none`() throws {
        var layer = LayerSettings.high(.vga, bitrate: .kilobits(800))
        layer.frameRate = 500
        #expect(throws: CodecError.self) { try layer.validate() }
        try layer.takingEveryFrame(of: 500).validate()
        #expect(layer.takingEveryFrame(of: nil).frameRate == 500 && layer.takingEveryFrame(of: 15).frameRate == 15)
    }

    @Test func `An impossible change leaves the plan unchanged`() throws {
        var plan = try SimulcastPlan(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
        let before = plan.settings
        let changes: [(inout LayerSettings) -> Void] = [
            { $0.rid = "other" }, { $0.encoder = .init(.vp9) }, { $0.encoder.temporalPattern = .l1t2 },
            { $0.bitrate = Bitrate(bitsPerSecond: 1) }, { $0.encoder.threadCount = 17 },
        ]
        for change in changes { #expect(throws: CodecError.self) { try plan.change(layer: 1, change) } }
        #expect(plan.settings == before)
        #expect(plan.tasks(at: .zero)[1]?.settings == .low)
    }

    @Test(arguments: VideoCodec.allCases, TemporalPattern.allCases)
    func `The least bitrate can be coded at, and an allocator may give less`(
        codec: VideoCodec, pattern: TemporalPattern
    ) throws {
        var layer = LayerSettings.low(codec)
        layer.encoder.temporalPattern = pattern
        layer.bitrate = layer.encoder.minimumBitrate
        let least = layer
        let encoder = try SimulcastEncoder(layers: [layer])
        var picture = try TestPictures(.qqvga).picture(0)
        var count = 0
        for index in 0..<10 {
            if index == 5 { encoder.plan.limit(layer: 0, to: Bitrate(bitsPerSecond: 1)) }
            picture.captureTime = FrameRate(5).time(ofFrame: index)
            try encoder.encode(picture) { _, _ in count += 1 }
        }
        #expect(count == 10)
        layer.bitrate = Bitrate(bitsPerSecond: least.bitrate.bitsPerSecond - 1)
        #expect(throws: CodecError.self) { try SimulcastPlan(layers: [layer]) }
    }
}
