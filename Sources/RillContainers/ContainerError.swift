public import RillCore
public import RillFiles

/// Why a file in a container could not be read or written.
public enum ContainerError: Error, Equatable, Sendable {
    /// No file, no container that is known, or one that is damaged at its beginning; `reason` in libavformat's words.
    case cannotOpen(path: String, reason: String)
    /// What the path names is no regular file: a folder, or a pipe or device, whose end nobody knows.
    case notAFile(path: String, kind: NonFile)
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
    /// The file that is written could not be.
    case fileFailed(FileError)
    /// The writer of the container refused; `reason` in libavformat's words.
    case cannotWrite(path: String, reason: String)
    /// A writer was given a frame of another codec than it was made for.
    case unexpectedCodec(path: String, expected: VideoCodec, given: VideoCodec)

    /// What stands where a file is wanted.
    public enum NonFile: Equatable, Sendable {
        case folder, endless
    }
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
        case .notAFile(let path, .folder):
            "\(path) is a folder; a sequence of pictures is named as \(path)/*.png or \(path)/frame%03d.png"
        case .notAFile(let path, .endless):
            "\(path) is a pipe or a device; a clip in a container is read from a file"
        case .fileFailed(let error): error.description
        case .cannotWrite(let path, let reason): "\(path) cannot be written: \(reason)"
        case .unexpectedCodec(let path, let expected, let given):
            "\(path) was opened for \(expected.rawValue) and was given \(given.rawValue)"
        case .outOfMemory(let path): "\(path): not enough memory"
        }
    }
}
