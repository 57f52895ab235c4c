/// Why a file in a container could not be read.
public enum ContainerError: Error, Equatable, Sendable {
    /// No file, no container that is known, or one that is damaged at its beginning; `reason` in libavformat's words.
    case cannotOpen(path: String, reason: String)
    /// The file has no video, or only a cover picture.
    case noVideo(path: String)
    /// Nothing here decodes that codec.
    case unknownCodec(path: String, codec: String)
    /// The decoder refused the stream's parameters; `reason` in libavcodec's words.
    case cannotDecode(path: String, codec: String, reason: String)
    /// The pictures' size is none that Rill has pictures of.
    case sizeOutOfRange(path: String, width: Int, height: Int)
    /// The file could not be read on behind its frame number `frame`, which counts from 0.
    case readFailed(path: String, frame: Int, reason: String)
    /// A picture of format `format` could not be brought to 4:2:0.
    case cannotConvert(path: String, format: String)
    /// There is no memory for that.
    case outOfMemory(path: String)
}

extension ContainerError: CustomStringConvertible {
    /// The path, and what is wrong: one line for a person.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "\(path) cannot be opened as a clip: \(reason)"
        case .noVideo(let path): "\(path) has no video"
        case .unknownCodec(let path, let codec): "\(path): nothing here decodes \(codec)"
        case .cannotDecode(let path, let codec, let reason): "\(path): the decoder of \(codec) refused it: \(reason)"
        case .sizeOutOfRange(let path, let width, let height):
            "\(path): pictures of \(width)x\(height) are out of range; both sides go from 1 to 16383"
        case .readFailed(let path, let frame, let reason): "\(path) cannot be read behind frame \(frame): \(reason)"
        case .cannotConvert(let path, let format): "\(path): pictures of format \(format) cannot be converted"
        case .outOfMemory(let path): "\(path): not enough memory"
        }
    }
}
