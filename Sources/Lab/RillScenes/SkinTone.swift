/// The color of a person's skin: one of the ten swatches of the Monk Skin Tone scale, from the lightest to the
/// darkest.
///
/// Source: Ellis Monk, "Monk Skin Tone Scale", 2019, skintone.google, with its sRGB values.
public struct SkinTone: Hashable, Sendable {
    /// The number of the swatch, 1 to 10.
    public let number: Int

    /// Creates the swatch with that number, 1 to 10; `nil` for any other.
    public init?(number: Int) {
        guard SkinTone.codes.indices.contains(number - 1) else { return nil }
        self.number = number
    }

    private init(_ number: Int) {
        self.number = number
    }

    /// Swatch 2.
    public static let light = SkinTone(2)
    /// Swatch 6.
    public static let medium = SkinTone(6)
    /// Swatch 8.
    public static let dark = SkinTone(8)
    /// All ten swatches, from the lightest to the darkest.
    public static let all = (1...10).map { SkinTone($0) }

    /// The swatch's sRGB code, `0xRRGGBB`.
    public var srgb: UInt32 { SkinTone.codes[number - 1] }

    private static let codes: [UInt32] = [
        0xF6EDE4, 0xF3E7DB, 0xF7EAD0, 0xEADABA, 0xD7BD96, 0xA07E56, 0x825C43, 0x604134, 0x3A312A, 0x292420,
    ]
}

extension SkinTone: CustomStringConvertible {
    /// `light`, `medium`, `dark`, or the number.
    public var description: String {
        switch self {
        case .light: "light"
        case .medium: "medium"
        case .dark: "dark"
        default: "\(number)"
        }
    }

    /// Parses such a word or number; `nil` for any other text.
    public init?(_ text: String) {
        switch text {
        case "light": self = .light
        case "medium": self = .medium
        case "dark": self = .dark
        default:
            guard let number = Int(text) else { return nil }
            self.init(number: number)
        }
    }
}
