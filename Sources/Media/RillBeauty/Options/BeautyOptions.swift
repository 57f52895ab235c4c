/// The settings of a ``BeautyFilter``.
///
/// ```swift
/// var options = BeautyOptions.natural
/// options.smoothness = 0.8
/// ```
///
/// The names are those of call SDKs. Each amount is from 0 (off) to 1. Values outside are clamped, and NaN becomes 0.
/// For untrusted values use ``init(notation:)`` or
/// ``init(validatingLightening:smoothness:redness:sharpness:lips:eyes:lighteningContrast:)``, which reject them.
public struct BeautyOptions: Hashable, Sendable {
    /// How lightening spreads over skin.
    public enum LighteningContrast: String, Hashable, Sendable, CaseIterable {
        /// Lifts shadows most: less contrast.
        case low
        /// Lifts mid-tones most.
        case normal
        /// Lifts bright tones most: more contrast.
        case high
    }

    /// How lightening spreads over skin.
    public var lighteningContrast: LighteningContrast
    /// How much skin is lightened. At 1 its mid-tones rise by 28 code values.
    public var lightening: Double { didSet { lightening = amount(lightening) } }
    /// How much skin is smoothed. At 1 it keeps a 50th of its fine texture, at 0.5 a third.
    public var smoothness: Double { didSet { smoothness = amount(smoothness) } }
    /// How much redder skin becomes. At 1 Cr rises by 20 code values.
    public var redness: Double { didSet { redness = amount(redness) } }
    /// How much edges outside of smooth skin are sharpened: at 1 by up to 4 code values of luma.
    public var sharpness: Double { didSet { sharpness = amount(sharpness) } }
    /// How much redder the lips of known faces become. At 1 Cr rises by 14 code values. Without it lips stay as they
    /// are.
    public var lips: Double { didSet { lips = amount(lips) } }
    /// How much brighter the eyes of known faces become. At 1 their bright parts rise by up to 24 code values of
    /// luma. At 0 eyes stay unchanged.
    public var eyes: Double { didSet { eyes = amount(eyes) } }

    /// Creates options with these amounts, each clamped to 0...1.
    public init(
        lighteningContrast: LighteningContrast = .normal, lightening: Double = 0.6, smoothness: Double = 0.5,
        redness: Double = 0.1, sharpness: Double = 0.3, lips: Double = 0, eyes: Double = 0
    ) {
        self.lighteningContrast = lighteningContrast
        self.lightening = amount(lightening)
        self.smoothness = amount(smoothness)
        self.redness = amount(redness)
        self.sharpness = amount(sharpness)
        self.lips = amount(lips)
        self.eyes = amount(eyes)
    }

    /// No changes: frames are returned as they are.
    public static let off = BeautyOptions(lightening: 0, smoothness: 0, redness: 0, sharpness: 0)
    /// The defaults.
    public static let natural = BeautyOptions()
    /// The strongest filter that still looks like a portrait.
    public static let strong = BeautyOptions(lightening: 0.8, smoothness: 0.9, redness: 0.2, sharpness: 0.5)

    /// Whether nothing is changed.
    public var isOff: Bool {
        lightening == 0 && smoothness == 0 && redness == 0 && sharpness == 0 && lips == 0 && eyes == 0
    }
}

/// Clamps a number to 0...1; NaN becomes 0.
private func amount(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }

extension BeautyOptions {
    /// Parses options: `natural`, `strong` or `off`, or settings in any order, such as
    /// `smoothness=0.7,lightening=0.3,contrast=high`.
    ///
    /// Missing settings are off. A preset may come first and be modified: `natural,redness=0`.
    ///
    /// - Parameter text: the options.
    /// - Throws: ``BeautyError``.
    public init(notation text: String) throws(BeautyError) {
        var options = BeautyOptions.off
        for (index, word) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            if index == 0, let preset = BeautyOptions(preset: word) {
                options = preset
                continue
            }
            guard let mark = word.firstIndex(of: "=") else { throw .unknownSetting(String(word)) }
            try options.set(word[..<mark], to: word[word.index(after: mark)...])
        }
        self = options
    }

    private init?(preset: Substring) {
        switch preset {
        case "off": self = .off
        case "natural": self = .natural
        case "strong": self = .strong
        default: return nil
        }
    }

    private mutating func set(_ key: Substring, to value: Substring) throws(BeautyError) {
        if key == "contrast" {
            guard let contrast = LighteningContrast(rawValue: String(value)) else {
                throw .unknownSetting("contrast=\(value)")
            }
            lighteningContrast = contrast
            return
        }
        guard let number = Double(value), (0...1).contains(number) else {
            throw .amountOutOfRange(setting: String(key), text: String(value))
        }
        switch key {
        case "lightening": lightening = number
        case "smoothness": smoothness = number
        case "redness": redness = number
        case "sharpness": sharpness = number
        case "lips": lips = number
        case "eyes": eyes = number
        default: throw .unknownSetting(String(key))
        }
    }

    /// Creates options from untrusted numbers.
    ///
    /// - Parameters:
    ///   - lightening: the amount of lightening, 0 to 1.
    ///   - smoothness: the amount of smoothing, 0 to 1.
    ///   - redness: the amount of reddening, 0 to 1.
    ///   - sharpness: the amount of sharpening, 0 to 1.
    ///   - lips: the color of lips, 0 to 1.
    ///   - eyes: the brightness of eyes, 0 to 1.
    ///   - lighteningContrast: how lightening spreads over skin.
    /// - Throws: ``BeautyError/amountOutOfRange(setting:text:)`` if an amount is not within 0...1.
    public init(
        validatingLightening lightening: Double, smoothness: Double, redness: Double, sharpness: Double,
        lips: Double = 0, eyes: Double = 0, lighteningContrast: LighteningContrast = .normal
    ) throws(BeautyError) {
        let amounts = [
            ("lightening", lightening), ("smoothness", smoothness), ("redness", redness), ("sharpness", sharpness),
            ("lips", lips), ("eyes", eyes),
        ]
        for (name, amount) in amounts where !(0...1).contains(amount) {
            throw .amountOutOfRange(setting: name, text: "\(amount)")
        }
        self.init(
            lighteningContrast: lighteningContrast, lightening: lightening, smoothness: smoothness, redness: redness,
            sharpness: sharpness, lips: lips, eyes: eyes)
    }
}

extension BeautyOptions: CustomStringConvertible {
    /// The notation that ``init(notation:)`` parses.
    public var description: String {
        switch self {
        case .off: "off"
        case .natural: "natural"
        case .strong: "strong"
        default:
            "lightening=\(lightening),smoothness=\(smoothness),redness=\(redness),sharpness=\(sharpness),"
                + (lips > 0 ? "lips=\(lips)," : "") + (eyes > 0 ? "eyes=\(eyes)," : "")
                + "contrast=\(lighteningContrast.rawValue)"
        }
    }
}

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
