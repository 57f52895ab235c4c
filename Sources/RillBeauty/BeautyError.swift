/// What options for the filter can be refused for.
public enum BeautyError: Error, Equatable, Sendable {
    /// No setting has this name, or this value.
    case unknownSetting(String)
    /// An amount that is not a number from 0 to 1.
    case amountOutOfRange(setting: String, text: String)
    /// A picture that is not I420 in limited range, or smaller than 16x16.
    case unsupportedPicture(format: String, width: Int, height: Int)
}

extension BeautyError: CustomStringConvertible {
    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .unknownSetting(let text):
            "\"\(text)\" is no setting: expected natural, strong or off, or lightening, smoothness, redness and "
                + "sharpness from 0 to 1 and contrast=low, normal or high, as in smoothness=0.7,contrast=high"
        case .amountOutOfRange(let setting, let text): "\(setting) goes from 0 to 1, not \"\(text)\""
        case .unsupportedPicture(let format, let width, let height):
            "pictures are made beautiful as I420 in limited range, of 16x16 and more, not \(format) of \(width)x\(height)"
        }
    }
}
