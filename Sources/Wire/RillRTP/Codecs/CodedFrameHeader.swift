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

/// Why bytes cannot be a coded frame, judged by their first bytes.
public enum BitstreamError: Error, Equatable, Sendable {
    /// The bytes end before the header does.
    case truncated(needed: Int, available: Int)
    /// The three bytes after the frame tag of a VP8 key frame are not 0x9D012A.
    case invalidStartCode(UInt32)
    /// A VP8 key frame's width or height is 0.
    case emptyPicture(width: Int, height: Int)
    /// The first two bits of a VP9 frame are not 2.
    case invalidFrameMarker(UInt8)
    /// The sync code of a VP9 key frame or intra-only frame is not 0x498342.
    case invalidSyncCode(UInt32)
    /// The last byte marks the end of a VP9 superframe with an index of `byteCount` bytes, but the index is missing.
    case missingSuperframeIndex(byteCount: Int, available: Int)
    /// Frame `index` of a VP9 superframe, counted from 0, is empty or longer than the bytes that are left.
    case invalidSuperframeSize(index: Int, byteCount: Int, available: Int)
    /// Rill cannot parse frames of this codec.
    case unknownCodec(VideoCodec)
}

extension BitstreamError: CustomStringConvertible {
    /// One line that describes the error.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "the frame ends too early: \(needed) bytes needed, \(available) available"
        case .invalidStartCode(let code):
            "a VP8 key frame with the start code 0x\(String(code, radix: 16)) instead of 0x9d012a"
        case .emptyPicture(let width, let height):
            "a VP8 key frame of \(width)x\(height) pixels"
        case .invalidFrameMarker(let marker):
            "a VP9 frame with the frame marker \(marker) instead of 2"
        case .invalidSyncCode(let code):
            "a VP9 frame with the sync code 0x\(String(code, radix: 16)) instead of 0x498342"
        case .missingSuperframeIndex(let byteCount, let available):
            "a VP9 superframe of \(available) bytes without its index of \(byteCount) bytes"
        case .invalidSuperframeSize(let index, let byteCount, let available):
            "frame \(index) of a VP9 superframe has \(byteCount) bytes according to its index, \(available) available"
        case .unknownCodec(let codec):
            "cannot parse frames of the codec \(codec)"
        }
    }
}
