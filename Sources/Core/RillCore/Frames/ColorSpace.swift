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
