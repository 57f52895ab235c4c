public import RillCore

/// The start of a coded VP9 frame's header, which is readable without decoding (VP9 bitstream specification §6.2).
///
/// Only the part of the uncompressed header is parsed that a receiver needs: whether decoding can start at the frame,
/// and how large its picture is.
public struct VP9FrameHeader: Equatable, Sendable {
    /// The profile: 0 (8 bits, 4:2:0) to 3.
    public var profile: UInt8
    /// The kind of the frame.
    public var kind: Kind

    /// The kinds of frames.
    public enum Kind: Equatable, Sendable {
        /// show_existing_frame: nothing is decoded; the picture in `slot`, 0 to 7, is shown again.
        case repeated(slot: UInt8)
        /// A key frame, which decodes without any other frame and refreshes all slots.
        case key(Picture, isShown: Bool)
        /// An intra-only frame, which decodes without any other frame. It is never shown by itself and may leave
        /// earlier frames in other slots.
        case intraOnly(Picture)
        /// An inter frame, which refers to other frames. `size` is its picture's size, or `nil` if it has the size of
        /// a reference.
        case inter(isShown: Bool, size: Size?)
    }

    /// The size that a frame carries.
    public struct Size: Equatable, Sendable {
        /// The width in pixels: 1 to 65536.
        public var width: Int
        /// The height in pixels: 1 to 65536.
        public var height: Int

        /// Creates a size.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The picture format that a key frame or intra-only frame carries.
    public struct Picture: Equatable, Sendable {
        /// The size in pixels.
        public var size: Size
        /// Bits per sample: 8 in profiles 0 and 1, 10 or 12 in profiles 2 and 3.
        public var bitDepth: Int
        /// color_space: 0 to 7, where 1 is BT.601, 2 is BT.709 and 7 is RGB. An intra-only frame of profile 0 does
        /// not carry it and gets 1, BT.601.
        public var colorSpace: UInt8
        /// color_range: whether samples use the full range of values.
        public var isFullRange: Bool
        /// subsampling_x and subsampling_y: both 1 in profiles 0 and 2.
        public var subsampling: Subsampling

        /// The color space for conversion: BT.709 if the frame declares it, otherwise BT.601.
        public var colors: ColorSpace {
            ColorSpace(matrix: colorSpace == 2 ? .bt709 : .bt601, range: isFullRange ? .full : .limited)
        }

        /// The subsampling of the chroma planes relative to luma, as powers of two.
        public struct Subsampling: Equatable, Sendable {
            /// 1 if chroma has half the width.
            public var x: UInt8
            /// 1 if chroma has half the height.
            public var y: UInt8

            /// Creates a subsampling from the two exponents, each 0 or 1.
            public init(x: UInt8, y: UInt8) {
                self.x = x
                self.y = y
            }
        }

        /// Creates a picture format. The defaults are those of profile 0: 8 bits, 4:2:0, limited range, unknown color
        /// space.
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

    /// Creates a header from its fields. Values that do not fit their bits trap in ``write(into:)``.
    public init(profile: UInt8 = 0, kind: Kind) {
        self.profile = profile
        self.kind = kind
    }

    /// Whether the frame is a key frame.
    public var isKeyFrame: Bool {
        if case .key = kind { true } else { false }
    }
    /// Whether the frame yields a picture that is shown.
    public var isShown: Bool {
        switch kind {
        case .repeated: true
        case .key(_, let isShown), .inter(let isShown, _): isShown
        case .intraOnly: false
        }
    }

    /// The size that the frame itself carries; `nil` if it uses the size of another frame.
    public var size: Size? {
        switch kind {
        case .repeated: nil
        case .key(let picture, _), .intraOnly(let picture): picture.size
        case .inter(_, let size): size
        }
    }
}
