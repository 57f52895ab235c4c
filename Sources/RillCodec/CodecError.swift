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
    /// A frame whose black and white stand where coded frames do not have them; convert it first (`ColorConverter`).
    case unsupportedRange(ColorSpace.Range)
    /// The bytes are no frame of the codec, or it was cut or damaged.
    case corruptFrame(byteCount: Int, detail: String)
    /// A frame that claims a picture of more pixels than the decoder takes, or of more than 16383 a side; no memory was
    /// taken for it.
    case pictureTooLarge(width: Int, height: Int, maximumPixelCount: Int)
    /// A frame of a profile that is not decoded: VP9's 1 to 3, which have more colour or more bits a sample.
    case unsupportedProfile(VideoCodec, profile: Int)
    /// libvpx has no such codec, and the app gave no encoder or decoder of its own.
    case unsupportedCodec(VideoCodec)
    /// An encoder or decoder that is not Rill's could not be made, or changed; its own words follow.
    case own(VideoCodec, detail: String)
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
        case .unsupportedRange(let range):
            "frames of \(range.rawValue) range are not encoded: convert them to limited range first"
        case .corruptFrame(let byteCount, let detail):
            "a frame of \(byteCount) bytes cannot be decoded: \(detail)"
        case .pictureTooLarge(let width, let height, let maximum):
            "a picture of \(width)x\(height) is larger than the decoder was made for: at most \(maximum) pixels, and "
                + "\(Resolution.maximumDimension) a side"
        case .unsupportedProfile(let codec, let profile):
            "\(codec.rawValue) of profile \(profile) is not decoded: only profile 0 is, 8 bits a sample in 4:2:0"
        case .unsupportedCodec(let codec):
            "libvpx knows no \(codec.rawValue): give the pipeline an encoder and a decoder of it"
        case .own(let codec, let detail):
            "the app's own codec for \(codec.rawValue) refused: \(detail)"
        case .frames(let error):
            error.description
        }
    }
}
