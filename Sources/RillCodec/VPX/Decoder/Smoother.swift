internal import CVPX
import RillCore

/// Chooses libvpx's post-processing for each VP8 picture, by its size and its quantizer.
struct Smoother {
    private let maximumPixelCount: Int

    /// `nil` where no picture is to be smoothed.
    init?(_ settings: PostProcessing) {
        guard settings.maximumPixelCount > 0 else { return nil }
        maximumPixelCount = settings.maximumPixelCount
    }

    /// Sets what is done to the picture that was decoded last, which has that many pixels.
    func prepare(_ context: borrowing VPXDecoderContext, pixelCount: Int) throws(CodecError) {
        let level = pixelCount <= maximumPixelCount ? Smoother.level(quantizer: try context.lastQuantizer()) : 0
        guard level > 0 else { return try context.setPostProcessing(VP8_NOFILTERING, level: 0) }
        try context.setPostProcessing(
            vp8_postproc_level(VP8_DEBLOCK.rawValue | VP8_DEMACROBLOCK.rawValue), level: level)
    }

    /// Strength for a quantizer index of 0 to 127; 0 is off.
    static func level(quantizer: Int) -> Int {
        quantizer > 30 ? min(8, 8 * (quantizer - 30) / 30) : 0
    }
}
