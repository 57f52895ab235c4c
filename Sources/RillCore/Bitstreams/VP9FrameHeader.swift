/// What the first bits of a coded VP9 frame say without decoding anything (VP9 bitstream specification §6.2).
///
/// No more of the uncompressed header is read than a receiver needs to know which frames it can start from, and how large
/// every frame's picture is.
public struct VP9FrameHeader: Equatable, Sendable {
    /// 0 (8 bits, 4:2:0) to 3.
    public var profile: UInt8
    /// What kind of frame it is.
    public var kind: Kind

    /// The kinds of frames.
    public enum Kind: Equatable, Sendable {
        /// show_existing_frame: nothing is decoded, the picture of that slot, 0 to 7, is shown again.
        case repeated(slot: UInt8)
        /// Decodable without any other; every slot is filled with it.
        case key(Picture, isShown: Bool)
        /// Decodable without any other, and never shown by itself; it leaves old frames in other slots.
        case intraOnly(Picture)
        /// Refers to others. Its picture has that size, or where that is `nil` the size of one of them.
        case inter(isShown: Bool, size: Size?)
    }

    /// The size that a frame gives its picture.
    public struct Size: Equatable, Sendable {
        /// Pixels in a row: 1 to 65536.
        public var width: Int
        /// Rows: 1 to 65536.
        public var height: Int

        /// A picture of that size.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// What a frame that refers to no other says of its picture.
    public struct Picture: Equatable, Sendable {
        /// Pixels in a row and rows.
        public var size: Size
        /// Bits of a sample: 8 in profiles 0 and 1, 10 or 12 in profiles 2 and 3.
        public var bitDepth: Int
        /// color_space: 0 to 7, where 1 is BT.601, 2 is BT.709 and 7 is RGB. An intra-only frame of profile 0 does not tell: 1, BT.601.
        public var colorSpace: UInt8
        /// color_range: whether samples use all their values.
        public var isFullRange: Bool
        /// subsampling_x and subsampling_y: 1, 1 in profiles 0 and 2.
        public var subsampling: Subsampling

        /// How its numbers are to be read: BT.601 where it does not say, or says what Rill does not tell apart.
        public var colors: ColorSpace {
            ColorSpace(matrix: colorSpace == 2 ? .bt709 : .bt601, range: isFullRange ? .full : .limited)
        }

        /// How much smaller than luma the chroma planes are, as powers of two.
        public struct Subsampling: Equatable, Sendable {
            /// 1 where chroma has half the width.
            public var x: UInt8
            /// 1 where chroma has half the height.
            public var y: UInt8

            /// A subsampling of these powers, 0 or 1.
            public init(x: UInt8, y: UInt8) {
                self.x = x
                self.y = y
            }
        }

        /// A picture of that size; unless said otherwise as profile 0 has it, in limited range of an unknown space.
        public init(
            width: Int, height: Int, bitDepth: Int = 8, colorSpace: UInt8 = 0, isFullRange: Bool = false,
            subsampling: Subsampling = Subsampling(x: 1, y: 1)
        ) {
            self.size = Size(width: width, height: height)
            self.bitDepth = bitDepth
            self.colorSpace = colorSpace
            self.isFullRange = isFullRange
            self.subsampling = subsampling
        }
    }

    /// A header of these fields. What does not fit its bits is found when it is written.
    public init(profile: UInt8 = 0, kind: Kind) {
        self.profile = profile
        self.kind = kind
    }

    /// Whether the frame is a key frame.
    public var isKeyFrame: Bool {
        if case .key = kind { true } else { false }
    }
    /// Whether the frame gives a picture to show.
    public var isShown: Bool {
        switch kind {
        case .repeated: true
        case .key(_, let isShown), .inter(let isShown, _): isShown
        case .intraOnly: false
        }
    }

    /// The size that the frame itself gives its picture; `nil` where it has that of another frame.
    public var size: Size? {
        switch kind {
        case .repeated: nil
        case .key(let picture, _), .intraOnly(let picture): picture.size
        case .inter(_, let size): size
        }
    }
}
