/// The factors that convert samples of a color space to red, green and blue from 0 to 255 (ITU-R BT.601, BT.709).
///
/// ```text
/// R = luma (Y - black) + redOfV (V - 128)
/// G = luma (Y - black) + greenOfU (U - 128) + greenOfV (V - 128)
/// B = luma (Y - black) + blueOfU (U - 128)
/// ```
package struct RGBFactors: Sendable {
    /// The luma of black.
    package let black: Int
    package let luma: Double
    package let redOfV: Double
    package let greenOfU: Double
    package let greenOfV: Double
    package let blueOfU: Double

    /// Computes the factors of a color space.
    package init(_ space: ColorSpace) {
        let (kr, kb) = space.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let kg = 1 - kr - kb
        let isLimited = space.range == .limited
        let chroma = isLimited ? 255.0 / 224 : 1
        black = isLimited ? 16 : 0
        luma = isLimited ? 255.0 / 219 : 1
        redOfV = 2 * (1 - kr) * chroma
        greenOfU = -2 * (1 - kb) * kb / kg * chroma
        greenOfV = -2 * (1 - kr) * kr / kg * chroma
        blueOfU = 2 * (1 - kb) * chroma
    }
}
