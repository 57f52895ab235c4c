/// The header of a coded VP8 frame, which is readable without decoding (RFC 6386 §9.1).
public struct VP8FrameHeader: Equatable, Sendable {
    /// The version, which selects the reconstruction filter and the loop filter. 0 to 3 are defined; the field holds
    /// up to 7.
    public var version: UInt8
    /// Whether the frame is shown. A frame that is not shown only serves as a reference.
    public var isShown: Bool
    /// The length of the first partition, which follows the header: 0 to 524287 bytes. It may be larger than the
    /// frame.
    public var firstPartitionByteCount: Int
    /// The size fields of a key frame; `nil` for delta frames.
    public var keyFrame: KeyFrame?

    /// Whether the frame is a key frame, which decodes without any other frame.
    public var isKeyFrame: Bool { keyFrame != nil }

    /// The size of a key frame's picture.
    public struct KeyFrame: Equatable, Sendable {
        /// The width in pixels: 1 to 16383.
        public var width: Int
        /// The height in pixels: 1 to 16383.
        public var height: Int
        /// How a player should stretch the picture's width. The decoder ignores it.
        public var horizontalScaling: Scaling
        /// How a player should stretch the picture's height. The decoder ignores it.
        public var verticalScaling: Scaling

        /// Creates the fields of a key frame with a picture of `width` by `height` pixels.
        public init(width: Int, height: Int, horizontalScaling: Scaling = .none, verticalScaling: Scaling = .none) {
            self.width = width
            self.height = height
            self.horizontalScaling = horizontalScaling
            self.verticalScaling = verticalScaling
        }
    }

    /// The factor by which a player should enlarge the coded picture.
    public enum Scaling: UInt8, Equatable, Sendable {
        /// No scaling.
        case none
        /// By 5/4.
        case fiveFourths
        /// By 5/3.
        case fiveThirds
        /// By 2.
        case two
    }

    /// Creates a header from its fields. Values that do not fit their bits trap in ``write(into:)``.
    public init(version: UInt8 = 0, isShown: Bool = true, firstPartitionByteCount: Int, keyFrame: KeyFrame? = nil) {
        self.version = version
        self.isShown = isShown
        self.firstPartitionByteCount = firstPartitionByteCount
        self.keyFrame = keyFrame
    }
}
