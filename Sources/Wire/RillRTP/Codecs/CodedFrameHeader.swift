public import RillCore

/// The parts of a coded frame's header that do not depend on the codec. A decoder needs them, and so does code
/// without a decoder. Parsing allocates nothing.
///
/// ```swift
/// let header = try CodedFrameHeader(parsing: payload, as: .vp9)
/// guard header.isKeyFrame || isDecoding else { return }  // wait for a key frame
/// ```
///
/// In a VP9 superframe every frame is parsed, hidden ones too.
public struct CodedFrameHeader: Equatable, Sendable {
    /// Whether decoding can start here: the (first) frame is a key frame.
    public let isKeyFrame: Bool
    /// Whether the bytes decode to a picture that is shown.
    public let isShown: Bool
    /// The highest profile of the frames. Always 0 for VP8: its versions do not change the picture format.
    public let profile: Int
    /// The largest width and the largest height that the frames carry, in pixels. 0 if they use the size of earlier
    /// pictures. Up to 16383 for VP8, 65536 for VP9.
    public let width: Int, height: Int
    /// Whether a VP9 chunk ends with a superframe index, which holds the sizes of its frames.
    public let hasSuperframeIndex: Bool

    /// The size, if the bytes carry one and Rill supports it.
    public var resolution: Resolution? { Resolution(validatingWidth: width, height: height) }

    /// Creates a header from what a codec's parser knows of a frame. The size is 0 if it is unchanged.
    package init(
        isKeyFrame: Bool, isShown: Bool = true, profile: Int = 0, width: Int, height: Int,
        hasSuperframeIndex: Bool = false
    ) {
        self.isKeyFrame = isKeyFrame
        self.isShown = isShown
        self.profile = profile
        (self.width, self.height) = (width, height)
        self.hasSuperframeIndex = hasSuperframeIndex
    }
}
