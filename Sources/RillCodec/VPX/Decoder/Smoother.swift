internal import CVPX
import RillCore

/// Chooses libvpx's post-processing for each VP8 picture, by its size and its quantizer.
///
/// Where the quantizer is coarse, smoothing over the edges of blocks comes nearer to the source; where it is fine it only
/// takes detail away, the more the larger the picture, and from key frames at any quantizer. So there is one strength,
/// the best of all 17 on the real clips, and a quantizer from which it gains in PSNR as well as in SSIM. (libwebrtc's
/// strengths, which rise from nothing at 30 to the same at 60, lose PSNR on their way: weak filters lose more there than
/// they mend.)
struct Smoother {
    /// Of 0 to 16. Above 9 every picture loses.
    private static let level = 8
    private let maximumPixelCount: Int

    /// `nil` where no picture is to be smoothed.
    init?(_ settings: PostProcessing) {
        guard settings.maximumPixelCount > 0 else { return nil }
        maximumPixelCount = settings.maximumPixelCount
    }

    /// Sets what is done to the picture that was decoded last, which has that many pixels.
    func prepare(
        _ context: borrowing VPXDecoderContext, pixelCount: Int, isKeyFrame: Bool
    ) throws(CodecError) {
        let quantizer = try context.lastQuantizer()
        guard !isKeyFrame, pixelCount <= maximumPixelCount,
            quantizer >= Smoother.leastQuantizer(ofPixels: pixelCount)
        else {
            return try context.setPostProcessing(VP8_NOFILTERING, level: 0)
        }
        try context.setPostProcessing(
            vp8_postproc_level(VP8_DEBLOCK.rawValue | VP8_DEMACROBLOCK.rawValue), level: Smoother.level)
    }

    /// The quantizer index, of 0 to 127, from which smoothing gains.
    static func leastQuantizer(ofPixels pixelCount: Int) -> Int {
        pixelCount <= Resolution.qqvga.pixelCount ? 48 : 60
    }
}
