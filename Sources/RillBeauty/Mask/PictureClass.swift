/// What goes with the size of a picture: a face measures some tens of pixels in a small one, hundreds in a large one.
///
/// Beyond 720 lines everything stays, and with it the cost of a pixel.
enum PictureClass {
    /// Fewer than 300 lines.
    case small
    /// Fewer than 600 lines.
    case medium
    /// 600 lines and more.
    case large

    init(height: Int) {
        self = height < 300 ? .small : height < 600 ? .medium : .large
    }

    /// Whether a cell's surroundings are more than the blocks beside it.
    var isLarge: Bool { self == .large }

    /// Texture is a mean over the blocks beside a block, and then over those at this distance.
    var secondTextureDistance: Int? {
        switch self {
        case .small: nil
        case .medium: 1
        case .large: 2
        }
    }

    /// What texture may come to, in eighths of a code value: in small pictures a face is a few blocks, and what they differ by
    /// is its shape.
    var textureLimits: LightLimits {
        switch self {
        case .small: LightLimits(least: 41, slope: 90)
        case .medium: LightLimits(least: 16, slope: 41)
        case .large: LightLimits(least: 17, slope: 36)
        }
    }

    /// What the deviations of nine cells may come to, in code values.
    var edgeLimits: LightLimits {
        switch self {
        case .small: LightLimits(least: 56, slope: 32)
        case .medium: LightLimits(least: 26, slope: 24)
        case .large: LightLimits(least: 29, slope: 46)
        }
    }

    /// The two steps by which holes of the mask are closed, in blocks: six blocks, twelve, twenty, as an eye with its brow is
    /// high. The mask is smooth enough not to be asked at every block.
    var closingDistances: (near: Int, far: Int) {
        switch self {
        case .small: (1, 2)
        case .medium: (2, 4)
        case .large: (3, 7)
        }
    }
}
