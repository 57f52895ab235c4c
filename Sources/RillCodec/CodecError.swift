public import RillCore

/// What can go wrong with a codec.
public enum CodecError: Error, Equatable, Sendable {
    /// A setting lies outside what the codec takes; the text names it and its range.
    case invalidSettings(String)
    /// libvpx refused a call; its own words and code follow.
    case libvpx(call: String, code: Int, detail: String)
    /// A frame of another size than the encoder was made for.
    case wrongResolution(expected: Resolution, actual: Resolution)
    /// A frame whose samples do not lie as I420; convert it first.
    case unsupportedFormat(PixelFormat)
    /// The bytes are no frame of the codec, or it was cut or damaged.
    case corruptFrame(byteCount: Int, detail: String)
    /// A key frame that claims a picture of more pixels than the decoder takes; no memory was taken for it.
    case pictureTooLarge(Resolution, maximumPixelCount: Int)
    /// No memory for the decoded pictures.
    case frames(FrameError)
}

extension CodecError: CustomStringConvertible {
    /// The case with its numbers and names in one line, for a log or a person.
    public var description: String {
        switch self {
        case .invalidSettings(let detail):
            "these settings cannot be encoded with: \(detail)"
        case .libvpx(let call, let code, let detail):
            "libvpx refused \(call) (code \(code)): \(detail)"
        case .wrongResolution(let expected, let actual):
            "the encoder was made for pictures of \(expected), this one has \(actual)"
        case .unsupportedFormat(let format):
            "frames of \(format.rawValue) are not encoded: convert them to i420 first"
        case .corruptFrame(let byteCount, let detail):
            "a frame of \(byteCount) bytes cannot be decoded: \(detail)"
        case .pictureTooLarge(let resolution, let maximum):
            "a picture of \(resolution) has more than the \(maximum) pixels that the decoder was made for"
        case .frames(let error):
            error.description
        }
    }
}
