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
