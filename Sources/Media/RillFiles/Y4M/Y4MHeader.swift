public import RillCore

/// The first line of a Y4M clip: `YUV4MPEG2 W640 H480 F30:1 Ip A1:1 C420jpeg`.
///
/// The format is that of MJPEGtools, yuv4mpeg(5); `XCOLORRANGE` is FFmpeg's.
public struct Y4MHeader: Hashable, Sendable {
    /// W and H: the size of the pictures in pixels.
    public var resolution: Resolution
    /// F: frames per second; `nil` if missing or unknown (`F0:0`).
    public var frameRate: FrameRate?
    /// I: the order of the fields. Frames are read unchanged, whatever it is.
    public var interlacing: Interlacing
    /// A: the pixel aspect ratio; `nil` if missing or unknown (`A0:0`).
    public var pixelAspect: PixelAspect?
    /// C: the position of the chroma samples.
    public var chromaSiting: ChromaSiting
    /// XCOLORRANGE: the color range; `nil` if missing.
    public var range: ColorSpace.Range?
    /// All other X parameters in order, without the X.
    public var extensions: [String]

    /// The order of the fields.
    public enum Interlacing: String, Hashable, Sendable, CaseIterable {
        /// Not interlaced.
        case progressive = "p"
        /// Interlaced, upper field first.
        case topFieldFirst = "t"
        /// Interlaced, lower field first.
        case bottomFieldFirst = "b"
        /// Stored with each frame.
        case mixed = "m"
        /// Unknown, or missing.
        case unknown = "?"
    }

    /// The ratio of a pixel's width to its height.
    public struct PixelAspect: Hashable, Sendable {
        /// The width; at least 1.
        public let width: Int
        /// The height; at least 1.
        public let height: Int

        /// Creates a ratio of two positive numbers; others trap.
        public init(width: Int, height: Int) {
            precondition(width > 0 && height > 0, "a pixel's aspect is a ratio of positive numbers")
            self.width = width
            self.height = height
        }

        /// 1:1.
        public static let square = PixelAspect(width: 1, height: 1)
    }

    /// The position of 8-bit 4:2:0 chroma samples relative to luma samples.
    public enum ChromaSiting: String, Hashable, Sendable, CaseIterable {
        /// In the center of four luma samples; the default without a C parameter.
        case jpeg = "420jpeg"
        /// On the left column, between two rows.
        case mpeg2 = "420mpeg2"
        /// On the upper left luma sample, U and V in alternate rows.
        case palDV = "420paldv"
        /// 4:2:0 without further detail.
        case unspecified = "420"
    }

    /// Creates a header. The defaults are square pixels, progressive pictures and JPEG's chroma siting.
    public init(
        resolution: Resolution, frameRate: FrameRate?, interlacing: Interlacing = .progressive,
        pixelAspect: PixelAspect? = .square, chromaSiting: ChromaSiting = .jpeg, range: ColorSpace.Range? = nil,
        extensions: [String] = []
    ) {
        self.resolution = resolution
        self.frameRate = frameRate
        self.interlacing = interlacing
        self.pixelAspect = pixelAspect
        self.chromaSiting = chromaSiting
        self.range = range
        self.extensions = extensions
    }

    /// The first word of every clip.
    static let magic = "YUV4MPEG2"
    /// The first word of every frame.
    static let frameMagic = "FRAME"
    /// The longest line that is read; real ones have about 80 bytes.
    static let maximumLineByteCount = 4096
}
