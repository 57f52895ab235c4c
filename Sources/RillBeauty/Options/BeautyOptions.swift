/// What a ``BeautyFilter`` does, and how much of it.
///
///     var options = BeautyOptions.natural
///     options.smoothness = 0.8
///
/// The names are those of call SDKs. Each amount goes from 0, nothing, to 1; more or less, or no number, becomes the
/// nearest of them. What somebody else wrote comes in through ``init(notation:)`` or
/// ``init(validatingLightening:smoothness:redness:sharpness:lighteningContrast:)``, which refuse it.
public struct BeautyOptions: Hashable, Sendable {
    /// How lightening spreads over skin.
    public enum LighteningContrast: String, Hashable, Sendable, CaseIterable {
        /// Shadows are lifted most: less contrast.
        case low
        /// Mid-tones are lifted most.
        case normal
        /// What is light already is lifted most: more contrast.
        case high
    }

    /// How lightening spreads over skin.
    public var lighteningContrast: LighteningContrast
    /// How much skin is lightened: at 1 its mid-tones rise by 28 code values.
    public var lightening: Double { didSet { lightening = amount(lightening) } }
    /// How much skin is smoothed: at 1 it keeps a 50th of its fine texture, at 0.5 a third.
    public var smoothness: Double { didSet { smoothness = amount(smoothness) } }
    /// How much redder skin becomes: at 1 by 20 code values of Cr.
    public var redness: Double { didSet { redness = amount(redness) } }
    /// How much edges outside of smooth skin are sharpened: at 1 by up to 4 code values of luma.
    public var sharpness: Double { didSet { sharpness = amount(sharpness) } }

    /// Options of these amounts.
    public init(
        lighteningContrast: LighteningContrast = .normal, lightening: Double = 0.6, smoothness: Double = 0.5,
        redness: Double = 0.1, sharpness: Double = 0.3
    ) {
        self.lighteningContrast = lighteningContrast
        self.lightening = amount(lightening)
        self.smoothness = amount(smoothness)
        self.redness = amount(redness)
        self.sharpness = amount(sharpness)
    }

    /// Nothing is changed: frames are handed on as they came.
    public static let off = BeautyOptions(lightening: 0, smoothness: 0, redness: 0, sharpness: 0)
    /// The defaults.
    public static let natural = BeautyOptions()
    /// As much as is still a portrait.
    public static let strong = BeautyOptions(lightening: 0.8, smoothness: 0.9, redness: 0.2, sharpness: 0.5)

    /// Whether nothing is changed.
    public var isOff: Bool { lightening == 0 && smoothness == 0 && redness == 0 && sharpness == 0 }
}

/// The nearest number from 0 to 1; 0 for what is none.
private func amount(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
