import RillCore
import RillMediaSupport
import RillScenes
import RillTestSupport
import RillTranscode
import Testing

@testable import Rill

/// The beauty filter inside of the sending side.
struct BeautyStageTests {
    private let resolution = Resolution(width: 96, height: 64)

    private var layers: [LayerSettings] {
        var low = LayerSettings.low
        low.resolution = Resolution(width: 48, height: 32)
        return [.high(resolution, bitrate: .kilobits(100)), low]
    }

    private func portrait(_ resolution: Resolution = Resolution(width: 96, height: 64), frameCount: Int) throws
        -> PortraitScene
    {
        try PortraitScene(
            resolution: resolution, frameRate: 30, frameCount: frameCount,
            settings: PortraitScene.Settings(skinTone: .medium), poolCapacity: 40)
    }

    /// The time and the samples of each picture.
    private final class Pictures: FrameSink, Sendable {
        private let state = Monitor([(time: MediaTime, samples: [UInt8])]())
        var all: [(time: MediaTime, samples: [UInt8])] { state.withLock { $0 } }
        func consume(_ frame: VideoFrame) {
            let picture = (frame.captureTime, frame.samples)
            state.withLock { $0.append(picture) }
        }
        func finish() {}
    }

    @Test func `The live driver toggles it, and no frame is dropped or repeated`() throws {
        let (captured, shown) = (Pictures(), Pictures())
        let pipeline = try SendPipeline(
            SendSettings(layers: layers, seed: 1), taps: SendTaps(captured: captured, preprocessed: shown))
        let sender = try LiveEncoders(pipeline, source: try portrait(frameCount: 90))
        var toggles = 0
        while !sender.isFinished {
            // Every third frame or so, from another thread than any that the frames pass.
            pipeline.setBeauty([BeautyOptions.natural, .strong, .off][toggles % 3])
            toggles += 1
            sender.clock.sleep(until: sender.clock.now + .milliseconds(100))
        }
        try sender.waitUntilFinished()
        let (before, after) = (captured.all, shown.all)
        #expect(toggles > 3)
        #expect(before.count == 90 && after.map(\.time) == before.map(\.time))
        let changed = zip(before, after).filter { $0.samples != $1.samples }.count
        #expect(changed > 0 && pipeline.beautyStatistics.framesFiltered >= changed)
        #expect(pipeline.picturesWithoutBuffer == 0)
    }

    @Test func `It is off until it is switched on`() throws {
        let shown = Pictures()
        let captured = Pictures()
        let pipeline = try SendPipeline(
            SendSettings(layers: layers, seed: 1), taps: SendTaps(captured: captured, preprocessed: shown))
        let scene = try portrait(frameCount: 12)
        var index = 0
        while case .frame(let frame) = scene.next() {
            if index == 4 { pipeline.setBeauty(.strong) }
            try pipeline.encode(frame, at: frame.captureTime)
            index += 1
        }
        let isSame = zip(captured.all, shown.all).map { $0.samples == $1.samples }
        #expect(isSame[0..<4].allSatisfy { $0 } && !isSame[6..<12].contains(true), "\(isSame)")
        #expect(pipeline.beauty == .strong && pipeline.beautyStatistics.framesFiltered == 8)
    }

    @Test func `Both layers carry it, and offline runs give the same bytes`() throws {
        func run(_ beauty: BeautyOptions) throws -> CodedRecording {
            let coded = CodedRecording()
            var settings = SendSettings(layers: layers, seed: 1)
            settings.beauty = beauty
            let pipeline = try SendPipeline(settings, taps: SendTaps(encoded: coded))
            let scene = try portrait(frameCount: 15)
            while case .frame(let frame) = scene.next() {
                try pipeline.encode(frame, at: frame.captureTime)
            }
            return coded
        }
        let (off, on, again) = (try run(.off), try run(.strong), try run(.strong))
        for rid in [StreamLayer.RID.high, .low] {
            #expect(on.frames(of: rid) == again.frames(of: rid) && !on.frames(of: rid).isEmpty)
            #expect(on.frames(of: rid) != off.frames(of: rid), "\(rid)")
        }
    }

    @Test func `The deadline is kept with the frame costs that the driver reports`() throws {
        var settings = SendSettings(layers: layers, seed: 1)
        settings.beauty = .natural
        settings.beautyBudget = .milliseconds(2)
        settings.modeledBeautyCost = .milliseconds(3)
        let pipeline = try SendPipeline(settings)
        let scene = try portrait(frameCount: 50)
        while case .frame(let frame) = scene.next() {
            try pipeline.encode(frame, at: frame.captureTime)
        }
        #expect(pipeline.beautyStatistics.level == .unsmoothed)
        #expect(pipeline.beautyStatistics.framesAtLevel == [15, 15, 15, 5])
    }

    @Test func `Pictures too small for it are sent as they are`() throws {
        let shown = Pictures()
        var settings = SendSettings(
            layers: [.high(Resolution(width: 16, height: 12), bitrate: .kilobits(50))], seed: 1)
        settings.beauty = .natural
        let pipeline = try SendPipeline(settings, taps: SendTaps(preprocessed: shown))
        let pictures = try TestPictures(Resolution(width: 16, height: 12))
        try pipeline.encode(pictures.picture(0), at: .zero)
        #expect(shown.all.map(\.samples) == [pictures.picture(0).samples])
    }

    @Test func `A comparison shows source, result and mask`() throws {
        let options = BeautyOptions.strong
        // A face of some blocks, of which the mask is made: by color alone, as no cascade sees it.
        let size = Resolution(width: 192, height: 128)
        let comparison = try BeautyComparison(try portrait(size, frameCount: 1), options: options, faces: .off)
        #expect(comparison.format.resolution == Resolution(width: 576, height: 128))
        guard case .frame(let wide) = try comparison.next() else { throw TestFailure("no picture") }
        guard case .frame(let source) = try portrait(size, frameCount: 1).next(),
            case .frame(let result) = try BeautySource(
                try portrait(size, frameCount: 1), options: options, faces: .off
            ).next()
        else { throw TestFailure("no picture") }
        for y in 0..<128 {
            for x in 0..<192 {
                #expect(wide.y[x, y] == source.y[x, y] && wide.y[192 + x, y] == result.y[x, y])
            }
        }
        let face = source.resolution.width / 2
        #expect((0..<128).contains { wide.y[384 + face, $0] > 150 }, "no skin in the middle column")
        guard case .end = try comparison.next() else { throw TestFailure("no picture") }
    }
}
