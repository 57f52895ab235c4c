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

    /// Parses the headers of a coded frame. The bytes after the headers are ignored.
    ///
    /// - Parameters:
    ///   - payload: the coded frame, or a VP9 superframe.
    ///   - codec: the codec of the bytes.
    /// - Throws: ``BitstreamError``; `unknownCodec` unless the codec is VP8 or VP9.
    public init(parsing payload: Span<UInt8>, as codec: VideoCodec) throws(BitstreamError) {
        switch codec {
        case .vp8: self.init(try VP8FrameHeader(parsing: payload))
        case .vp9: try self.init(vp9: payload)
        default: throw .unknownCodec(codec)
        }
    }

    /// Creates a header from what another parser knows of a frame, for custom codecs. The size is 0 if it is
    /// unchanged.
    package init(isKeyFrame: Bool, width: Int, height: Int) {
        self.isKeyFrame = isKeyFrame
        isShown = true
        profile = 0
        (self.width, self.height) = (width, height)
        hasSuperframeIndex = false
    }

    private init(_ header: VP8FrameHeader) {
        isKeyFrame = header.isKeyFrame
        isShown = header.isShown
        profile = 0
        width = header.keyFrame?.width ?? 0
        height = header.keyFrame?.height ?? 0
        hasSuperframeIndex = false
    }

    private init(vp9 payload: Span<UInt8>) throws(BitstreamError) {
        let frames = try VP9Superframe(parsing: payload)
        var (isKeyFrame, isShown, profile, width, height) = (false, false, 0, 0, 0)
        for index in 0..<frames.frameCount {
            let header = try VP9FrameHeader(parsing: payload.extracting(frames[index]))
            if index == 0 { isKeyFrame = header.isKeyFrame }
            isShown = isShown || header.isShown
            profile = max(profile, Int(header.profile))
            width = max(width, header.size?.width ?? 0)
            height = max(height, header.size?.height ?? 0)
        }
        self.isKeyFrame = isKeyFrame
        self.isShown = isShown
        self.profile = profile
        self.width = width
        self.height = height
        self.hasSuperframeIndex = frames.hasIndex
    }
}
