/// What a decoder, or who has none, has to know of a coded frame, whatever its codec is. No memory is taken to learn it.
///
///     let header = try CodedFrameHeader(parsing: payload, as: .vp9)
///     guard header.isKeyFrame || isDecoding else { return }  // wait for a key frame
///
/// Of a VP9 superframe every frame is looked at, hidden ones too.
public struct CodedFrameHeader: Equatable, Sendable {
    /// Whether decoding can begin here: the (first) frame is a key frame.
    public let isKeyFrame: Bool
    /// Whether the bytes give a picture to show.
    public let isShown: Bool
    /// The highest profile of the frames; 0 of VP8, whose versions do not change what a picture is.
    public let profile: Int
    /// How large the pictures are that the bytes tell of: the widest and the highest; 0 where they have the size of
    /// pictures that were decoded before. Up to 16383 in VP8, to 65536 in VP9.
    public let width: Int, height: Int
    /// Whether a VP9 chunk ends with a superframe index, which says where its frames end.
    public let hasSuperframeIndex: Bool

    /// The size, where the bytes tell one that Rill handles.
    public var resolution: Resolution? { Resolution(validatingWidth: width, height: height) }

    /// Reads the headers of a coded frame's bytes; what is behind them is not looked at.
    ///
    /// - Throws: ``BitstreamError``, `unknownCodec` of one that is neither VP8 nor VP9.
    public init(parsing payload: Span<UInt8>, as codec: VideoCodec) throws(BitstreamError) {
        switch codec {
        case .vp8: self.init(try VP8FrameHeader(parsing: payload))
        case .vp9: try self.init(vp9: payload)
        default: throw .unknownCodec(codec)
        }
    }

    /// What somebody else knows of a frame of an own codec; the size is 0 where it was told before.
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
