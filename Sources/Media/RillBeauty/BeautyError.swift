/// Errors of the beauty filter and its options.
public enum BeautyError: Error, Equatable, Sendable {
    /// There is no setting with this name, or no such value.
    case unknownSetting(String)
    /// The amount is not a number from 0 to 1.
    case amountOutOfRange(setting: String, text: String)
    /// The picture is not I420 in limited range, or is smaller than 16x16.
    case unsupportedPicture(format: String, width: Int, height: Int)
    /// A cascade of face features contradicts itself.
    case invalidCascade(String)
}

extension BeautyError: CustomStringConvertible {
    /// The fault and the expected value.
    public var description: String {
        switch self {
        case .unknownSetting(let text):
            "\"\(text)\" is not a setting: expected natural, strong or off, or lightening, smoothness, redness, "
                + "sharpness, lips and eyes from 0 to 1 and contrast=low, normal or high, as in smoothness=0.7,contrast=high"
        case .amountOutOfRange(let setting, let text): "\(setting) goes from 0 to 1, not \"\(text)\""
        case .unsupportedPicture(let format, let width, let height):
            "the filter takes I420 in limited range, 16x16 or larger, not \(format) of \(width)x\(height)"
        case .invalidCascade(let reason): "this is not a cascade of upright features for one window: \(reason)"
        }
    }
}
