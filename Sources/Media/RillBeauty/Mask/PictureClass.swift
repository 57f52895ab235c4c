/// Parameters that depend on the size of a picture: a face measures some tens of pixels in a small one, hundreds in a
/// large one.
///
/// They are the same for all pictures above 720 lines, and so is the cost per pixel.
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

    /// Whether a cell's surroundings include more than the adjacent blocks.
    var isLarge: Bool { self == .large }

    /// The width in pixels of what is searched for faces: a face is at least twenty of them wide.
    var faceUnit: Int {
        switch self {
        case .small: 1
        case .medium: 2
        case .large: 4
        }
    }

    /// The distance of a second averaging of texture, after the one over adjacent blocks; `nil` for none.
    var secondTextureDistance: Int? {
        switch self {
        case .small: nil
        case .medium: 1
        case .large: 2
        }
    }

    /// The maximum texture of skin, in eighths of a code value. In small pictures a face is a few blocks, and their
    /// differences are its shape.
    var textureLimits: LumaLimits {
        switch self {
        case .small: LumaLimits(least: 41, slope: 90)
        case .medium: LumaLimits(least: 16, slope: 41)
        case .large: LumaLimits(least: 17, slope: 36)
        }
    }

    /// The maximum sum of the deviations of nine cells, in code values.
    var edgeLimits: LumaLimits {
        switch self {
        case .small: LumaLimits(least: 56, slope: 32)
        case .medium: LumaLimits(least: 26, slope: 24)
        case .large: LumaLimits(least: 29, slope: 46)
        }
    }

    /// The two distances for closing holes of the mask, in blocks. They close six, twelve or twenty blocks, the
    /// height of an eye with its brow. The mask is smooth enough not to sample every block.
    var closingDistances: (near: Int, far: Int) {
        switch self {
        case .small: (1, 2)
        case .medium: (2, 4)
        case .large: (3, 7)
        }
    }
}
