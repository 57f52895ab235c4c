/// Whether decoded VP8 pictures are smoothed where the quantizer left blocks in them. It changes what is shown and never
/// what later frames refer to; VP9 does as much by itself.
public struct PostProcessing: Sendable, Equatable {
    /// The largest picture that is smoothed, in pixels; 0 for none.
    public var maximumPixelCount: Int

    /// Pictures of up to that many pixels.
    public init(maximumPixelCount: Int) {
        self.maximumPixelCount = maximumPixelCount
    }

    /// The pictures as they were coded: exact, as the codec's specification has them.
    public static let off = PostProcessing(maximumPixelCount: 0)
    /// Pictures of 320x240 and below, which are shown larger than they are.
    public static let smallPictures = PostProcessing(maximumPixelCount: 320 * 240)
}
