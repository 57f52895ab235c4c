import RillCore
import RillTestSupport
import Testing

@testable import Rill

/// A source that stands still: a screen rests, a camera does not.
struct UnchangedFramesTests {
    private static let resolution = Resolution(width: 160, height: 120)

    /// Frames of each layer that were coded and left out, of ten seconds that change at the fifth alone.
    private func run(_ change: (inout LayerSettings) -> Void) throws -> [(encoded: Int, unchanged: Int)] {
        var layers = [LayerSettings.high(Self.resolution, bitrate: .kilobits(300)), .low]
        for index in layers.indices { change(&layers[index]) }
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1))
        let pictures = try TestPictures(Self.resolution)
        let (first, second) = (pictures.picture(0), pictures.picture(9))
        for index in 0..<300 {
            var frame = index < 150 ? first : second
            frame.captureTime = FrameRate(30).time(ofFrame: index)
            try pipeline.encode(frame, at: frame.captureTime)
        }
        return pipeline.statistics.map { ($0.encoder.framesEncoded, $0.framesUnchanged) }
    }

    @Test func `A camera keeps its rate`() throws {
        let (high, low) = try { ($0[0], $0[1]) }(run { _ in })
        #expect(high == (300, 0) && low == (50, 0))
    }

    @Test func `A screen is coded until it is fine, and then once a second`() throws {
        let (high, low) = try { ($0[0], $0[1]) }(run { $0.encoder.content = .screen })
        #expect(high.encoded + high.unchanged == 300 && low.encoded + low.unchanged == 50)
        // At most ten per second refine it, twice; then one per second.
        #expect((10...80).contains(high.encoded), "\(high)")
        #expect((10...40).contains(low.encoded), "\(low)")
    }

    @Test func `The app has the last word`() throws {
        let screen = try run {
            $0.encoder.content = .screen
            $0.skipsUnchangedFrames = false
        }
        #expect(screen[0] == (300, 0))
        let camera = try run { $0.skipsUnchangedFrames = true }
        #expect(camera[0].unchanged > 200)
    }

    @Test func `A requested key frame is encoded at once`() throws {
        var layer = LayerSettings.high(Self.resolution, bitrate: .kilobits(300))
        layer.encoder.content = .screen
        let pipeline = try SendPipeline(SendSettings(layers: [layer], seed: 1))
        let picture = try TestPictures(Self.resolution).picture(0)
        for index in 0..<100 {
            var frame = picture
            frame.captureTime = FrameRate(30).time(ofFrame: index)
            if index == 77 { pipeline.requestKeyFrame(.high) }
            let before = pipeline.statistics[0].encoder.keyFramesEncoded
            try pipeline.encode(frame, at: frame.captureTime)
            let isKey = pipeline.statistics[0].encoder.keyFramesEncoded > before
            #expect(isKey == (index == 0 || index == 77), "frame \(index)")
        }
    }
}
