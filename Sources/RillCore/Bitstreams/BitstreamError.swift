/// Why bytes are no frame of a codec, as far as its first bytes say, with the numbers that say so.
public enum BitstreamError: Error, Equatable, Sendable {
    /// The bytes end before the header does.
    case truncated(needed: Int, available: Int)
    /// The three bytes behind the frame tag of a VP8 key frame are not 0x9D012A.
    case invalidStartCode(UInt32)
    /// A VP8 key frame says that its picture has no pixels.
    case emptyPicture(width: Int, height: Int)
    /// The first two bits of a VP9 frame are not 2.
    case invalidFrameMarker(UInt8)
    /// The sync code of a VP9 key frame or intra-only frame is not 0x498342.
    case invalidSyncCode(UInt32)
    /// The last byte says that a VP9 superframe ends here, with an index of that many bytes, and there is none.
    case missingSuperframeIndex(byteCount: Int, available: Int)
    /// A frame of a VP9 superframe, counted from 0, is empty or longer than what is there of it.
    case invalidSuperframeSize(index: Int, byteCount: Int, available: Int)
    /// Nothing here knows the frames of that codec.
    case unknownCodec(VideoCodec)
}

extension BitstreamError: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "the frame ends too early: \(needed) bytes needed, \(available) there"
        case .invalidStartCode(let code):
            "a VP8 key frame with the start code 0x\(String(code, radix: 16)) instead of 0x9d012a"
        case .emptyPicture(let width, let height):
            "a VP8 key frame of \(width)x\(height) pixels"
        case .invalidFrameMarker(let marker):
            "a VP9 frame with the frame marker \(marker) instead of 2"
        case .invalidSyncCode(let code):
            "a VP9 frame with the sync code 0x\(String(code, radix: 16)) instead of 0x498342"
        case .missingSuperframeIndex(let byteCount, let available):
            "a VP9 superframe of \(available) bytes without the \(byteCount) of its index"
        case .invalidSuperframeSize(let index, let byteCount, let available):
            "frame \(index) of a VP9 superframe has \(byteCount) bytes by its index, where there are \(available)"
        case .unknownCodec(let codec):
            "frames of \(codec) are not known here"
        }
    }
}
