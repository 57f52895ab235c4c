internal import CVPX
import RillCore

/// Chooses libvpx's post-processing for each VP8 picture, by its size and quantizer.
///
/// With a coarse quantizer, smoothing block edges brings the picture closer to the source. With a fine one it only
/// removes detail, the more the larger the picture; in key frames it does so at any quantizer. So there is one
/// strength, the best of all 17 on real clips, and a quantizer from which both PSNR and SSIM gain. (libwebrtc's
/// strengths rise from nothing at 30 to the same value at 60. They lose PSNR in between: weak filters lose more there
/// than they repair.)
struct Smoother {
    /// From 0 to 16. Above 9 every picture loses.
    private static let level = 8
    private let maximumPixelCount: Int

    /// Returns `nil` if no picture is smoothed.
    init?(_ settings: PostProcessing) {
        guard settings.maximumPixelCount > 0 else { return nil }
        maximumPixelCount = settings.maximumPixelCount
    }

    /// Sets the post-processing of the picture that was decoded last, which has that many pixels.
    func prepare(
        _ context: borrowing VPXContext, pixelCount: Int, isKeyFrame: Bool
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

    /// Returns the quantizer index, from 0 to 127, at which smoothing starts to gain.
    static func leastQuantizer(ofPixels pixelCount: Int) -> Int {
        pixelCount <= Resolution.qqvga.pixelCount ? 48 : 60
    }
}

/// Whether decoded VP8 pictures are deblocked when the quantizer was coarse. It changes the shown pictures, but never
/// the references of later frames. VP9 achieves as much by itself.
public struct PostProcessing: Sendable, Equatable {
    /// The largest picture that is smoothed, in pixels; 0 for none.
    public var maximumPixelCount: Int

    /// Smooths pictures of up to that many pixels.
    public init(maximumPixelCount: Int) {
        self.maximumPixelCount = maximumPixelCount
    }

    /// No smoothing: pictures exactly as the codec's specification defines them.
    public static let off = PostProcessing(maximumPixelCount: 0)
    /// Smooths pictures of up to 320x240, which are usually shown enlarged.
    public static let smallPictures = PostProcessing(maximumPixelCount: 320 * 240)
}
