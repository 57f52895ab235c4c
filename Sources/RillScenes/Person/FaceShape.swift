/// The face as a landscape: a rounded shield with bumps and hollows for brow ridge, eye sockets, nose, cheekbones,
/// lips and chin. Heights are in head heights, as in ``Face``.
enum FaceShape {
    private static let noseRidge = Profile(
        -0.11...0.25,
        [
            0, 0.012, 0.022, 0.030, 0.042, 0.056, 0.070, 0.086, 0.102, 0.113, 0.106, 0.058, 0.012,
        ])
    private static let noseWidth = Profile(
        -0.11...0.25,
        [
            0.060, 0.048, 0.040, 0.038, 0.040, 0.044, 0.048, 0.054, 0.060, 0.064, 0.062, 0.055, 0.050,
        ])

    static func height(_ p: Point) -> Float {
        let side = Point(abs(p.x), p.y)
        let e = min(Face.eccentricity(p), 1)
        let e2 = e * e
        // Flatter in front than a ball.
        var z = 0.36 * max(0, 1 - e2 * (0.35 + 0.65 * e2)).squareRoot()

        // Forehead, brow ridge, temples.
        z += 0.018 * bell(p, Point(0, -0.235), Point(0.24, 0.14))
        z += 0.022 * bell(side, Point(0.135, -0.098), Point(0.14, 0.060))
        z -= 0.012 * bell(side, Point(0.300, -0.10), Point(0.09, 0.12))
        // Eye sockets, the ball in each, the bag below.
        z -= 0.046 * bell(side, Point(0.135, -0.012), Point(0.125, 0.085))
        z += 0.034 * bell(side, Face.eye, Point(0.088, 0.056))
        z += 0.006 * bell(side, Point(0.142, 0.050), Point(0.075, 0.022))
        z -= 0.006 * bell(side, Point(0.130, 0.068), Point(0.090, 0.022))
        // Cheekbones and cheeks.
        z += 0.030 * bell(side, Point(0.205, 0.085), Point(0.13, 0.095))
        z += 0.012 * bell(side, Point(0.165, 0.200), Point(0.11, 0.11))
        z -= 0.016 * bell(side, Point(0.225, 0.230), Point(0.10, 0.12))
        // Nose: ridge, wings, the fold beside them, the groove to the lip.
        let across = p.x / noseWidth(p.y)
        z += noseRidge(p.y) * bell(across * across * 0.55)
        z += 0.020 * bell(p, Face.noseTip, Point(0.050, 0.046))
        z += 0.040 * bell(side, Face.noseWing, Point(0.034, 0.036))
        z -= 0.012 * bell(side, Point(0.094, 0.200), Point(0.026, 0.040))
        z -= 0.007 * bell(p, Point(0, 0.256), Point(0.020, 0.036))
        // The mound of the mouth, the lips, the corners.
        z += 0.030 * bell(p, Point(0, 0.315), Point(0.175, 0.125))
        z += 0.014 * bell(p, Point(0, 0.303), Point(0.100, 0.024))
        z += 0.020 * bell(p, Point(0, 0.345), Point(0.085, 0.030))
        z -= 0.010 * bell(side, Point(0.124, 0.308), Point(0.026, 0.030))
        let fromMouth = p.y - Face.mouthLine(p.x)
        z -= 0.009 * bell(fromMouth * fromMouth / (0.012 * 0.012)) * bell(p.x * p.x / (0.115 * 0.115))
        // The hollow under the lip, the chin.
        z -= 0.016 * bell(p, Point(0, 0.388), Point(0.095, 0.036))
        z += 0.030 * bell(p, Point(0, 0.440), Point(0.105, 0.070))
        return z
    }
}
