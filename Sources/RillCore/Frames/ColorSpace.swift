/// How the numbers of a YUV picture are to be read as colours.
public struct ColorSpace: Hashable, Sendable {
    /// The coefficients between RGB and YUV.
    public enum Matrix: String, Hashable, Sendable {
        /// ITU-R BT.601, the matrix of webcams and of VP8.
        case bt601
        /// ITU-R BT.709, the matrix of HD video.
        case bt709
    }

    /// The code values that black and white stand at.
    public enum Range: String, Hashable, Sendable {
        /// Luma 16 to 235, chroma 16 to 240: what video uses.
        case limited
        /// 0 to 255: what JPEG uses.
        case full
    }

    /// The coefficients between RGB and YUV.
    public var matrix: Matrix
    /// The code values that black and white stand at.
    public var range: Range

    /// BT.601 in limited range unless said otherwise, as webcams and VP8 have it.
    public init(matrix: Matrix = .bt601, range: Range = .limited) {
        self.matrix = matrix
        self.range = range
    }

    /// BT.601, limited range: the pipeline's own, and what an unmarked source is taken for.
    public static let bt601 = ColorSpace()
    /// BT.709, limited range.
    public static let bt709 = ColorSpace(matrix: .bt709)
}
