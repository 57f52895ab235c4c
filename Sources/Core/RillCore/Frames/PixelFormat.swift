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
