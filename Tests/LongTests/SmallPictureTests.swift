import RillCodec
import RillCore
import RillFiles
import RillImage
import RillTestSupport
import Testing

@testable import Rill

/// What smoothing gains on the low layer: 160x120 at 5 frames a second.
///
///     RILL_MEDIA=FOLDER swift test --disable-xctest --filter SmallPicture
@Suite(.serialized) struct SmallPictureTests {
    /// The whole clips: a few pictures of so slow a layer would say nothing.
    @Test(.needsMedia, arguments: AcceptanceClip.webcams.map(\.whole))
    func `Smoothing gains at low rates, and costs nothing at the usual one`(clip: AcceptanceClip) throws {
        for kilobits in isLongRun ? [45, 30, 20, 12] : [45, 12] {
            var low = LayerSettings.low
            low.bitrate = .kilobits(kilobits)
            let encoder = try SimulcastEncoder(layers: [low])
            let scaler = try LayerScaler(low.resolution, capacity: 2)
            let (exact, smooth) = (try VPXDecoder(), try VPXDecoder(postProcessing: .smallPictures))
            var (before, after) = (QualityMeter(), QualityMeter())
            let source = FirstFrames(clip.frameCount, of: try Y4MReader(path: clip.path(in: TemporaryFolder())))
            while case .frame(let frame) = try source.next() {
                try encoder.encode(frame) { coded, bytes in
                    let original = try existing(scaler.fitted(frame))
                    before.add(try difference(of: bytes, exact, from: original))
                    after.add(try difference(of: bytes, smooth, from: original))
                }
            }
            let (psnr, smoothPSNR) = (try existing(before.psnr).y, try existing(after.psnr).y)
            let (ssim, smoothSSIM) = (try existing(before.ssim).y, try existing(after.ssim).y)
            let statistics = encoder.layers[0].statistics
            note(
                "\(clip.testDescription), \(kilobits) kbit/s: \(before.count) pictures, mean quantizer "
                    + "\(statistics.qpSum / statistics.framesEncoded); PSNR \(psnr) -> \(smoothPSNR) dB, "
                    + "SSIM \(ssim) -> \(smoothSSIM)")
            #expect(smoothPSNR >= psnr - 0.005, "\(clip), \(kilobits) kbit/s: \(psnr) -> \(smoothPSNR) dB")
            #expect(smoothSSIM >= ssim, "\(clip), \(kilobits) kbit/s: \(ssim) -> \(smoothSSIM)")
            if kilobits == 12 { #expect(smoothSSIM > ssim + 0.001, "nothing was smoothed") }
        }
    }

    private func difference(
        of bytes: Span<UInt8>, _ decoder: VPXDecoder, from original: VideoFrame
    ) throws -> PictureDifference {
        guard case .picture(let picture) = try decoder.decode(bytes, captureTime: .zero) else {
            throw TestFailure("a frame gave no picture")
        }
        return PictureDifference(between: picture, and: original)
    }
}
