public import RillCore

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
