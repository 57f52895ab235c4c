import RillCodec
import RillCore
import Testing

struct LayerSettingsTests {
    @Test(arguments: VideoCodec.allCases)
    func theLadderFollowsTheSource(codec: VideoCodec) throws {
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

    @Test func theLowPresetIsWhatItIsKnownFor() {
        #expect(LayerSettings.low.resolution == .qqvga && LayerSettings.low.frameRate == 5)
        #expect(LayerSettings.low.bitrate == .kilobits(45) && LayerSettings.low.encoder.codec == .vp8)
    }

    @Test func whatIsWrongIsSaidWithTheLayersName() {
        func refusal(_ change: (inout LayerSettings) -> Void) -> String? {
            var layer = LayerSettings.low
            change(&layer)
            do throws(CodecError) { _ = try SimulcastPlan(layers: [layer]) } catch { return "\(error)" }
            return nil
        }
        #expect(refusal { _ in } == nil)
        #expect(
            refusal { $0.bitrate = Bitrate(bitsPerSecond: 10) }?.contains("layer low: the bitrate goes from") == true)
        #expect(refusal { $0.frameRate = 241 }?.contains("layer low: the frame rate goes up to 240, not 241") == true)
        #expect(refusal { $0.encoder.speed = 5 }?.contains("the speed of VP8 goes from -16 to -1, not 5") == true)
        #expect(
            refusal {
                $0.encoder = .init(.vp9); $0.encoder.speed = -5
            }?.contains("VP9 goes from 5 to 9") == true)
        #expect(refusal { $0.encoder.dropThreshold = 101 }?.contains("percentages") == true)
        #expect(refusal { $0.encoder.maximumKeyFramePercentage = -1 }?.contains("key frame's limit") == true)
        #expect(refusal { $0.encoder.bufferSize = .seconds(61) }?.contains("60 s") == true)
    }

    @Test func aChangeThatCannotBeLeavesThePlanAsItWas() throws {
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
}
