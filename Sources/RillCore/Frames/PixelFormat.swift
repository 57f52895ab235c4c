/// How the samples of a frame lie in memory. All formats are 8-bit 4:2:0; odd sizes round the chroma planes up.
public enum PixelFormat: String, Hashable, Sendable {
    /// Three planes: Y, U, V. The pipeline's own format.
    case i420
    /// Two planes: Y, then U and V in turn.
    case nv12

    /// Planes that a frame of this format has.
    public var planeCount: Int { self == .i420 ? 3 : 2 }
}
