/// Parameters that depend on the size of a picture: a face measures some tens of pixels in a small one, hundreds in a
/// large one.
///
/// They are the same for all pictures above 720 lines, and so is the cost per pixel.
struct PictureClass {
    /// The width in pixels of what is searched for faces: a face is at least twenty of them wide.
    let faceUnit: Int
    /// The distance of a second averaging of texture, after the one over adjacent blocks; `nil` for none.
    let secondTextureDistance: Int?
    /// The maximum texture of skin, in eighths of a code value. In small pictures a face is a few blocks, and their
    /// differences are its shape.
    let textureLimits: LumaLimits
    /// The maximum sum of the deviations of nine cells, in code values.
    let edgeLimits: LumaLimits
    /// The two distances for closing holes of the mask, in blocks. They close six, twelve or twenty blocks, the
    /// height of an eye with its brow. The mask is smooth enough not to sample every block.
    let closingDistances: (near: Int, far: Int)

    private static let small = PictureClass(
        faceUnit: 1, secondTextureDistance: nil, textureLimits: LumaLimits(least: 41, slope: 90),
        edgeLimits: LumaLimits(least: 56, slope: 32), closingDistances: (1, 2))
    private static let medium = PictureClass(
        faceUnit: 2, secondTextureDistance: 1, textureLimits: LumaLimits(least: 16, slope: 41),
        edgeLimits: LumaLimits(least: 26, slope: 24), closingDistances: (2, 4))
    private static let large = PictureClass(
        faceUnit: 4, secondTextureDistance: 2, textureLimits: LumaLimits(least: 17, slope: 36),
        edgeLimits: LumaLimits(least: 29, slope: 46), closingDistances: (3, 7))
}

extension PictureClass {
    /// Small pictures have fewer than 300 lines, medium ones fewer than 600.
    init(height: Int) { self = height < 300 ? .small : height < 600 ? .medium : .large }

    var isSmall: Bool { faceUnit == 1 }

    /// Whether a cell's surroundings include more than the adjacent blocks.
    var isLarge: Bool { faceUnit == 4 }
}
