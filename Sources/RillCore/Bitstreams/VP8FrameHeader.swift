/// What the first bytes of a coded VP8 frame say without decoding anything (RFC 6386 §9.1).
public struct VP8FrameHeader: Equatable, Sendable {
    /// Which of the reconstruction filters and loop filters the frame uses: 0 to 3 are defined, 7 fits.
    public var version: UInt8
    /// Whether the frame is to be shown; a frame that is not only serves as a reference.
    public var isShown: Bool
    /// Bytes of the first partition, which follows the header: 0 to 524287. It may claim more than there is.
    public var firstPartitionByteCount: Int
    /// What a key frame says of its picture; `nil` for every other frame.
    public var keyFrame: KeyFrame?

    /// Whether the frame can be decoded without any other.
    public var isKeyFrame: Bool { keyFrame != nil }

    /// The size of a key frame's picture.
    public struct KeyFrame: Equatable, Sendable {
        /// Pixels in a row: 1 to 16383.
        public var width: Int
        /// Rows: 1 to 16383.
        public var height: Int
        /// How a player is asked to stretch the picture's width. The decoder takes no notice.
        public var horizontalScaling: Scaling
        /// How a player is asked to stretch the picture's height. The decoder takes no notice.
        public var verticalScaling: Scaling

        /// A picture of that size.
        public init(width: Int, height: Int, horizontalScaling: Scaling = .none, verticalScaling: Scaling = .none) {
            self.width = width
            self.height = height
            self.horizontalScaling = horizontalScaling
            self.verticalScaling = verticalScaling
        }
    }

    /// How much larger than coded a picture asks to be shown.
    public enum Scaling: UInt8, Equatable, Sendable {
        /// As it is.
        case none
        /// By 5/4.
        case fiveFourths
        /// By 5/3.
        case fiveThirds
        /// By 2.
        case two
    }

    /// A header of these fields. What does not fit its bits is found when it is written.
    public init(version: UInt8 = 0, isShown: Bool = true, firstPartitionByteCount: Int, keyFrame: KeyFrame? = nil) {
        self.version = version
        self.isShown = isShown
        self.firstPartitionByteCount = firstPartitionByteCount
        self.keyFrame = keyFrame
    }
}
