/// How the samples of a frame are arranged in memory. All formats are 8-bit 4:2:0; odd sizes round the chroma planes
/// up.
public enum PixelFormat: String, Hashable, Sendable {
    /// Three planes: Y, U, V. The pipeline's own format.
    case i420
    /// Two planes: Y, and interleaved U and V.
    case nv12

    /// The number of planes.
    public var planeCount: Int { self == .i420 ? 3 : 2 }
}

/// How the samples of a YUV picture map to colors.
public struct ColorSpace: Hashable, Sendable {
    /// The coefficients between RGB and YUV.
    public enum Matrix: String, Hashable, Sendable {
        /// ITU-R BT.601, the matrix of webcams and of VP8.
        case bt601
        /// ITU-R BT.709, the matrix of HD video.
        case bt709
    }

    /// The code values of black and white.
    public enum Range: String, Hashable, Sendable {
        /// Luma 16 to 235, chroma 16 to 240: the range of video.
        case limited
        /// 0 to 255: the range of JPEG.
        case full
    }

    /// The coefficients between RGB and YUV.
    public var matrix: Matrix
    /// The code values of black and white.
    public var range: Range

    /// Creates a color space. The default, BT.601 in limited range, is that of webcams and VP8.
    public init(matrix: Matrix = .bt601, range: Range = .limited) {
        self.matrix = matrix
        self.range = range
    }

    /// BT.601, limited range: the pipeline's own, and the default for sources that do not declare one.
    public static let bt601 = ColorSpace()
    /// BT.709, limited range.
    public static let bt709 = ColorSpace(matrix: .bt709)
}

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
