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
