public import RillCore
public import RillFiles

/// Errors of reading or writing a container file.
public enum ContainerError: Error, Equatable, Sendable {
    /// There is no such file, or its container is unknown or damaged at the start; `reason` is libavformat's message.
    case cannotOpen(path: String, reason: String)
    /// The path is not a regular file but a folder, or a pipe or device, which has no known end.
    case notAFile(path: String, kind: NonFile)
    /// The file has no video, or only a cover picture.
    case noVideo(path: String)
    /// There is no decoder for that codec.
    case unknownCodec(path: String, codec: String)
    /// The decoder rejected the stream's parameters; `reason` is libavcodec's message.
    case cannotDecode(path: String, codec: String, reason: String)
    /// Rill does not support the pictures' size.
    case sizeOutOfRange(path: String, width: Int, height: Int)
    /// The file could not be read after frame number `frame`, which counts from 0.
    case readFailed(path: String, frame: Int, reason: String)
    /// A picture of format `format` could not be converted to 4:2:0.
    case cannotConvert(path: String, format: String)
    /// The samples have a color matrix that Rill cannot convert: `number` is its `MatrixCoefficients` of ITU-T H.273.
    case unsupportedMatrix(path: String, number: Int)
    /// There is not enough memory.
    case outOfMemory(path: String)
    /// The output file failed.
    case fileFailed(FileError)
    /// The muxer failed; `reason` is libavformat's message.
    case cannotWrite(path: String, reason: String)
    /// A writer got a frame of another codec than it was created for.
    case unexpectedCodec(path: String, expected: VideoCodec, given: VideoCodec)

    /// The kind of object at a path that is not a file.
    public enum NonFile: Equatable, Sendable {
        case folder, endless
    }
}

extension ContainerError: CustomStringConvertible {
    /// One line for a person: the path, and the error.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "\(path) cannot be opened as a clip: \(reason)"
        case .noVideo(let path): "\(path) has no video"
        case .unknownCodec(let path, let codec): "\(path): no decoder for \(codec)"
        case .cannotDecode(let path, let codec, let reason): "\(path): the \(codec) decoder rejected it: \(reason)"
        case .sizeOutOfRange(let path, let width, let height):
            "\(path): pictures of \(width)x\(height) are not supported; sides go from 1 to 16383"
        case .readFailed(let path, let frame, let reason): "\(path) cannot be read after frame \(frame): \(reason)"
        case .cannotConvert(let path, let format): "\(path): pictures of format \(format) cannot be converted"
        case .unsupportedMatrix(let path, let number):
            "\(path): the color matrix \(matrixName(number)) cannot be converted"
        case .notAFile(let path, .folder):
            "\(path) is a folder; for a sequence of pictures, use \(path)/*.png or \(path)/frame%03d.png"
        case .notAFile(let path, .endless):
            "\(path) is a pipe or a device; a container is only read from a file"
        case .fileFailed(let error): error.description
        case .cannotWrite(let path, let reason): "\(path) cannot be written: \(reason)"
        case .unexpectedCodec(let path, let expected, let given):
            "\(path) was opened for \(expected.rawValue) but got \(given.rawValue)"
        case .outOfMemory(let path): "\(path): not enough memory"
        }
    }
}

/// The name of a color matrix that cannot be converted (ITU-T H.273, table 4).
private func matrixName(_ number: Int) -> String {
    switch number {
    case 8: "YCgCo"
    case 10: "BT.2020 with constant luminance"
    case 11: "SMPTE ST 2085"
    case 12: "derived from the primaries"
    case 13: "derived from the primaries with constant luminance"
    case 14: "ICtCp"
    default: "number \(number) of H.273"
    }
}
