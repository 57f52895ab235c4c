import RillCodec
import RillCore
import RillImage
import RillScenes
import RillTestSupport
import Testing

@testable import Rill

/// What still blocks do to a picture that the beauty filter changes.
struct StillBlocksAndBeautyTests {
    /// At 320x240 the drift of the light, as `CameraMotion` measures it, scatters by 0.06 from the noise of so few
    /// blocks, and 0.12 counts as moving light: with one noise of two nothing is left out for a while. Here it is 0.03.
    private static let resolution = Resolution.vga

    /// Compares each picture that is encoded with what decoders show.
    private final class Viewer: FrameSink, EncodedFrameSink, Sendable {
        private struct State {
            let decoder: VPXDecoder
            var encoded: VideoFrame?
            var psnr: [Double] = []
        }

        private let state: Monitor<State>

        init() throws { state = Monitor(State(decoder: try VPXDecoder(.vp8))) }

        /// PSNR of luma in dB.
        var psnr: [Double] { state.withLock { $0.psnr } }

        func consume(_ frame: VideoFrame) { state.withLock { $0.encoded = frame } }

        func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
            let copy = payload.array
            try state.withLock { state in
                guard case .picture(let shown) = try state.decoder.decode(copy.span, captureTime: frame.captureTime),
                    let encoded = state.encoded.take()
                else { throw TestFailure("no picture") }
                state.psnr.append(PictureDifference(between: shown, and: encoded).psnr.y)
            }
        }

        func finish() {}
    }

    /// What decoders show, and the blocks that each picture leaves out.
    private func run(skipsStillBlocks: Bool) throws -> (psnr: [Double], skipped: [Int]) {
        var layer = LayerSettings.high(Self.resolution, bitrate: .kilobits(800))
        layer.encoder.skipsStillBlocks = skipsStillBlocks
        let viewer = try Viewer()
        let pipeline = try SendPipeline(
            SendSettings(layers: [layer], seed: 1), taps: SendTaps(preprocessed: viewer, encoded: viewer))
        let scene = try PortraitScene(resolution: Self.resolution, frameRate: 30, frameCount: 72)
        var (index, skipped) = (0, [0])
        while case .frame(let frame) = scene.next() {
            if let beauty = [24: BeautyOptions.strong, 48: .off][index] { pipeline.setBeauty(beauty) }
            try pipeline.encode(frame, at: frame.captureTime)
            skipped.append(pipeline.statistics[0].encoder.stillBlocksSkipped)
            index += 1
        }
        return (viewer.psnr, zip(skipped, skipped.dropFirst()).map { $1 - $0 })
    }

    @Test func `Beauty that fades in and out leaves no trail`() throws {
        let (on, off) = (try run(skipsStillBlocks: true), try run(skipsStillBlocks: false))
        #expect(on.psnr.count == 72 && off.skipped.allSatisfy { $0 == 0 })
        for (index, (with, without)) in zip(on.psnr, off.psnr).enumerated() {
            #expect(with > without - 0.5, "\(index): \(with) and \(without) dB")
        }
        // A tenth of the 1200 blocks is left out before, with and after it.
        for end in [24, 48, 72] { #expect(on.skipped[end - 8..<end].allSatisfy { $0 > 120 }, "\(on.skipped)") }
    }
}
