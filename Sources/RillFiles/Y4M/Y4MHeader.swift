public import RillCore

/// What the first line of a Y4M clip says: `YUV4MPEG2 W640 H480 F30:1 Ip A1:1 C420jpeg`.
///
/// The format is that of MJPEGtools, yuv4mpeg(5); `XCOLORRANGE` is FFmpeg's.
public struct Y4MHeader: Hashable, Sendable {
    /// W and H: size of the pictures in pixels.
    public var resolution: Resolution
    /// F: frames per second; `nil` where it is missing or said to be unknown (`F0:0`).
    public var frameRate: FrameRate?
    /// I: the order of the fields. Frames are read as they are, whichever it is.
    public var interlacing: Interlacing
    /// A: width to height of a pixel; `nil` where it is missing or said to be unknown (`A0:0`).
    public var pixelAspect: PixelAspect?
    /// C: where the chroma samples lie.
    public var chromaSiting: ChromaSiting
    /// XCOLORRANGE: where black and white stand; `nil` when it is not said.
    public var range: ColorSpace.Range?
    /// All other X parameters in their order, without the X.
    public var extensions: [String]

    /// The order of the fields.
    public enum Interlacing: String, Hashable, Sendable, CaseIterable {
        /// Not interlaced.
        case progressive = "p"
        /// Interlaced, upper field first.
        case topFieldFirst = "t"
        /// Interlaced, lower field first.
        case bottomFieldFirst = "b"
        /// Each frame says it for itself.
        case mixed = "m"
        /// Not known, also when nothing is said.
        case unknown = "?"
    }

    /// Width to height of a pixel.
    public struct PixelAspect: Hashable, Sendable {
        /// The part of the width; at least 1.
        public let width: Int
        /// The part of the height; at least 1.
        public let height: Int

        /// A ratio of two numbers above zero: anything else is the caller's mistake.
        public init(width: Int, height: Int) {
            precondition(width > 0 && height > 0, "a pixel's aspect is a ratio of positive numbers")
            self.width = width
            self.height = height
        }

        /// 1:1.
        public static let square = PixelAspect(width: 1, height: 1)
    }

    /// Where the samples of 8-bit 4:2:0 chroma lie among those of the luma.
    public enum ChromaSiting: String, Hashable, Sendable, CaseIterable {
        /// In the middle of four luma samples; also what no C parameter means.
        case jpeg = "420jpeg"
        /// Beside the left column, between two rows.
        case mpeg2 = "420mpeg2"
        /// On the upper left luma sample, U and V on alternate rows.
        case palDV = "420paldv"
        /// 4:2:0 and no more said.
        case unspecified = "420"
    }

    /// A header of square, progressive pictures with JPEG's chroma siting, unless it is said otherwise.
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
