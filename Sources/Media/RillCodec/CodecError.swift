public import RillCore

/// Errors of encoders and decoders.
public enum CodecError: Error, Equatable, Sendable {
    /// A setting is out of range. The text has its name and range.
    case invalidSettings(String)
    /// libvpx refused a call, with its error code and message.
    case libvpx(call: String, code: Int, detail: String)
    /// A frame has a different size than the encoder expects.
    case wrongResolution(expected: Resolution, actual: Resolution)
    /// A frame is not I420. Convert it first.
    case unsupportedFormat(PixelFormat)
    /// A frame is in a range that coded frames do not have. Convert it first (`ColorConverter`).
    case unsupportedRange(ColorSpace.Range)
    /// The bytes are not a frame of the codec, or the frame is truncated or damaged.
    case corruptFrame(byteCount: Int, detail: String)
    /// A frame declares more pixels than the decoder allows, or a side above 16383 pixels. No memory was allocated
    /// for it.
    case pictureTooLarge(width: Int, height: Int, maximumPixelCount: Int)
    /// A frame has a profile that is not supported: VP9's 1 to 3, which have more color or more bits per sample.
    case unsupportedProfile(VideoCodec, profile: Int)
    /// libvpx does not have the codec, and the app provided no encoder or decoder for it.
    case unsupportedCodec(VideoCodec)
    /// An app's encoder or decoder could not be created or changed, with its error message.
    case own(VideoCodec, detail: String)
    /// There is no memory for the decoded pictures.
    case frames(FrameError)
}

extension CodecError: CustomStringConvertible {
    /// One line with the case and its values, for a log or a person.
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
            "libvpx does not support \(codec.rawValue): give the pipeline an encoder and a decoder for it"
        case .own(let codec, let detail):
            "the app's own codec for \(codec.rawValue) refused: \(detail)"
        case .frames(let error):
            error.description
        }
    }
}
