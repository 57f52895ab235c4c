/// Why a text is not the expected quantity. Each case holds the text and the quantity.
public enum NotationError: Error, Equatable, Sendable {
    /// The quantities that the command line writes with a unit.
    public enum Quantity: String, Sendable, CaseIterable {
        /// See ``Bitrate/init(notation:)``.
        case bitrate
        /// See ``MediaDuration/init(notation:)``.
        case duration
        /// See ``Percentage/init(notation:)``.
        case percentage
        /// See ``Resolution/init(notation:)``.
        case resolution
        /// See ``FrameRate/init(notation:)``.
        case frameRate
    }

    /// The text does not start with a decimal number of at most 18 digits.
    case notANumber(String, Quantity)
    /// The number is followed by something that is not a unit of this quantity, or a required unit is missing.
    case unknownUnit(String, in: String, Quantity)
    /// The number has more decimals than the quantity can hold; it would have to be rounded.
    case tooFine(String, Quantity)
    /// The number is larger than the quantity's maximum.
    case tooLarge(String, Quantity)
}

extension NotationError: CustomStringConvertible {
    /// One sentence for the person who wrote the text.
    public var description: String {
        switch self {
        case .notANumber(let text, let quantity):
            "\"\(text)\" is not a number: expected \(quantity.texts.expectation)"
        case .unknownUnit("", let text, let quantity):
            "\"\(text)\" has no unit: expected \(quantity.texts.expectation)"
        case .unknownUnit(let unit, let text, let quantity):
            "\"\(unit)\" in \"\(text)\" is not a unit: expected \(quantity.texts.expectation)"
        case .tooFine(let text, let quantity):
            "\"\(text)\" has too many decimals: the finest step is \(quantity.texts.finestStep)"
        case .tooLarge(let text, let quantity):
            "\"\(text)\" is too large: the most is \(quantity.texts.maximum)"
        }
    }
}

extension NotationError.Quantity {
    fileprivate var texts: (expectation: String, finestStep: String, maximum: String) {
        switch self {
        case .bitrate:
            ("bits per second, like 1500k, 2M or 45000", "1 bit per second", "\(Bitrate.notationMaximum)")
        case .duration:
            ("a duration, like 40ms, 1.5s or 250us", "1ns", MediaDuration.notationMaximum.notation)
        case .percentage:
            ("a percentage, like 2% or 0.5%", "0.0001%", "100%")
        case .resolution:
            (
                "a size in pixels, like 640x480", "1 pixel",
                "\(Resolution.maximumDimension)x\(Resolution.maximumDimension), the least 1x1"
            )
        case .frameRate:
            ("frames a second, like 30 or 30000/1001", "1", "2147483647, the least 1")
        }
    }
}
