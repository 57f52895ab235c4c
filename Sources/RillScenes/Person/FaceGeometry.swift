/// The positions of facial features.
///
/// The unit is the height of the head without hair. The origin is between the eyes, with x to the right of the
/// picture. The proportions are those of drawing textbooks: eyes halfway down, an eye's width between them, the wings
/// of the nose below their inner corners, the mouth a third of the way from nose to chin.
enum Face {
    /// The outline of skull and jaw: the distance from the origin, from the crown (0 turns) to the chin (half a
    /// turn).
    static let outline = Profile(
        0...0.5,
        [
            0.495, 0.484, 0.450, 0.408, 0.374, 0.350, 0.334, 0.330, 0.344, 0.379, 0.430, 0.474, 0.490,
        ])

    /// The center of the eye on the right of the picture; the other one is its mirror image.
    static let eye = Point(0.146, 0.002)
    /// Half the length of the slit between the lids.
    static let eyeHalfWidth: Float = 0.071
    /// The radius of the iris.
    static let irisRadius: Float = 0.0275

    /// The curve of the right brow.
    static let browStart = Point(0.058, -0.088)
    static let browBend = Point(0.165, -0.142)
    static let browEnd = Point(0.252, -0.082)

    /// The tip of the nose, and its lower end above the lip.
    static let noseTip = Point(0, 0.172)
    static let noseBase: Float = 0.218
    /// The position of a wing of the nose.
    static let noseWing = Point(0.056, 0.188)

    /// The middle of the closed mouth.
    static let mouth = Point(0, 0.318)
    /// Half the length of the mouth.
    static let mouthHalfWidth: Float = 0.117

    /// The center of the right ear, and its radii.
    static let ear = Point(0.352, 0.055)
    static let earRadii = Point(0.046, 0.112)

    /// The area of head, ears and hair.
    static let visible = Box(-0.42, -0.62, 0.42, 0.50)
    /// The same with the range of the jaw, and some margin.
    static let box = Box(-0.46, -0.68, 0.46, 0.58)

    /// Returns the distance of `p` from the head's outline, negative inside.
    static func distance(_ p: Point) -> Float {
        let r = p.length
        let edge = outline(foldedTurns(p))
        return r - edge
    }

    /// Returns 0 in the middle, 1 on the outline.
    static func eccentricity(_ p: Point) -> Float { p.length / outline(foldedTurns(p)) }

    /// Returns the height of the line between the closed lips at `x`: a bow.
    static func mouthLine(_ x: Float) -> Float {
        let u = x / mouthHalfWidth
        return mouth.y + 0.003 * bell(u * u * 7) + 0.003 - 0.015 * u * u
    }

    /// Returns how far a point of the head is in front of the picture plane: smooth and approximate, for rotating the
    /// head.
    static func depth(_ p: Point) -> Float {
        let round = 1 - (p.x * p.x) / (0.40 * 0.40) - (p.y * p.y) / (0.72 * 0.72)
        return 0.42 * max(round, -0.25) + 0.11 * bell(p, Point(0, 0.14), Point(0.15, 0.21))
    }

    /// Returns the angle of `p` from the crown, 0 to half a turn, the same on both sides.
    static func foldedTurns(_ p: Point) -> Float { turns(of: Point(abs(p.x), p.y)) }
}
