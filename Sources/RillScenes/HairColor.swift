/// The color of a person's hair and brows.
public enum HairColor: String, Hashable, Sendable, CaseIterable {
    case black
    case brown
    case red
    case blond
    case grey

    /// The hair's sRGB code, `0xRRGGBB`, in full light.
    var srgb: UInt32 {
        switch self {
        case .black: 0x2A2422
        case .brown: 0x553A29
        case .red: 0x7C472F
        case .blond: 0xB5935F
        case .grey: 0x8F8A83
        }
    }
}
