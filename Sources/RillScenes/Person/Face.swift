/// The positions of facial features.
///
/// The unit is the height of the head without hair. The origin is between the eyes, with x to the right of the
/// picture. The proportions are those of drawing textbooks: eyes halfway down, an eye's width between them, the wings
/// of the nose below their inner corners, the mouth a third of the way from nose to chin.
enum Face {
    /// The outline of skull and jaw: the distance from the origin, from the crown (0 turns) to the chin (half a
    /// turn).
    private static let outline = Profile(
        0...0.5,
        [
            0.495, 0.484, 0.450, 0.408, 0.374, 0.350, 0.334, 0.330, 0.344, 0.379, 0.430, 0.474, 0.490,
        ])

    /// The center of the eye on the right of the picture; the other one is its mirror image.
    static let eye = Point(0.146, 0.002)
    /// Half the length of the slit between the lids.
    static let eyeHalfWidth: Float = 0.071
    /// The brow on the right: where it begins and ends.
    static let brow: (start: Point, end: Point) = (Point(0.058, -0.088), Point(0.252, -0.082))
    /// The middle of the closed mouth.
    static let mouth = Point(0, 0.318)
    /// Half the length of the mouth.
    static let mouthHalfWidth: Float = 0.117
    /// The center of the right ear, and its radii.
    static let ear = Point(0.352, 0.055)
    static let earRadii = Point(0.046, 0.112)

    /// The area of head, ears and hair.
    static let visible = Box(-0.42, -0.62, 0.42, 0.50)
    /// What the expression changes.
    static let changing = [
        Box(centre: eye, radii: Point(0.09, 0.055)), Box(centre: eye * Point(-1, 1), radii: Point(0.09, 0.055)),
        Box(centre: mouth + Point(0, 0.02), radii: Point(0.13, 0.085)),
    ]

    /// Returns the distance of `p` from the head's outline, negative inside.
    static func distance(_ p: Point) -> Float { p.length - outline(turns(of: Point(abs(p.x), p.y))) }
}
