public import RillCore

/// What is wrong with the settings of a network, by the name of the setting.
public enum NetworkError: Error, Equatable, Sendable {
    /// A part of the text has a name that no setting has.
    case unknownSetting(String)
    /// A setting stands without `=` and value.
    case missingValue(LinkSettings.Name)
    /// A setting stands twice in one text.
    case repeatedSetting(LinkSettings.Name)
    /// The value of a setting is not the quantity that it should be.
    case invalidValue(LinkSettings.Name, NotationError)
    /// The seed is no whole number from 0 to 18446744073709551615.
    case invalidSeed(String)
    /// A duration is below zero or above the most that a link takes.
    case durationOutOfRange(LinkSettings.Name, MediaDuration, most: MediaDuration)
    /// A rate is outside ``LinkSettings/rateRange``.
    case rateOutOfRange(Bitrate)
}

extension NetworkError: CustomStringConvertible {
    /// One sentence for whoever chose the settings.
    public var description: String {
        switch self {
        case .unknownSetting(let part):
            "\"\(part)\" is no setting of a link: expected "
                + LinkSettings.Name.allCases.map(\.rawValue).joined(separator: ", ")
        case .missingValue(let name):
            "\(name.rawValue) has no value: expected something like \(name.rawValue)=\(name.example)"
        case .repeatedSetting(let name):
            "\(name.rawValue) stands there twice"
        case .invalidValue(let name, let error):
            "\(name.rawValue): \(error)"
        case .invalidSeed(let text):
            "seed: \"\(text)\" is no whole number from 0 to \(UInt64.max)"
        case .durationOutOfRange(let name, let duration, let most):
            "\(name.rawValue): \(duration.notation) is outside 0s to \(most.notation)"
        case .rateOutOfRange(let rate):
            "rate: \(rate) is outside \(LinkSettings.rateRange.lowerBound) to \(LinkSettings.rateRange.upperBound);"
                + " leave it out for a link without a limit"
        }
    }
}
