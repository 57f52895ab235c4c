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

/// The ratio of a pixel's display width to its height.
public struct PixelAspect: Hashable, Sendable {
    /// The width; at least 1.
    public let width: Int
    /// The height; at least 1.
    public let height: Int

    /// Creates a ratio of two positive numbers; others trap.
    public init(width: Int, height: Int) {
        precondition(width > 0 && height > 0, "a pixel of \(width)x\(height)")
        self.width = width
        self.height = height
    }

    /// 1:1.
    public static let square = PixelAspect(width: 1, height: 1)
}

extension Y4MHeader {
    /// Parses the parameters of the first line, in any order. If a parameter is repeated, the last one counts.
    ///
    /// - Parameters:
    ///   - line: the line without its end, starting with ``magic``.
    ///   - path: the file's name, for errors.
    init(parsing line: some Collection<UInt8>, path: String) throws(FileError) {
        var parser = Parser(path: path)
        var position = 0
        for field in line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            if position > 0, let tag = field.first { try parser.read(tag, field.dropFirst(), at: position) }
            position += field.count + 1
        }
        self = try parser.header()
    }

    /// The first line with its end. Traps if an extension contains a space or a line end, which would terminate it.
    var line: String {
        precondition(
            extensions.allSatisfy { !$0.utf8.contains(0x20) && !$0.utf8.contains(0x0A) }, "spaces in \(extensions)")
        var line = "\(Y4MHeader.magic) W\(resolution.width) H\(resolution.height)"
        line += frameRate.map { " F\($0.numerator):\($0.denominator)" } ?? " F0:0"
        line += " I\(interlacing.rawValue)"
        line += pixelAspect.map { " A\($0.width):\($0.height)" } ?? " A0:0"
        line += " C\(chromaSiting.rawValue)"
        if let range { line += " XCOLORRANGE=\(range == .full ? "FULL" : "LIMITED")" }
        for text in extensions { line += " X\(text)" }
        return line + "\n"
    }
}

/// The parameters parsed so far.
private struct Parser {
    let path: String
    var width: Int?
    var height: Int?
    var frameRate: FrameRate?
    var interlacing = Y4MHeader.Interlacing.unknown
    var pixelAspect: PixelAspect?
    var chromaSiting: Y4MHeader.ChromaSiting?
    var range: ColorSpace.Range?
    var extensions: [String] = []

    mutating func read(_ tag: UInt8, _ bytes: some Collection<UInt8>, at position: Int) throws(FileError) {
        let value = String(decoding: bytes, as: UTF8.self)
        func invalid(_ field: String) -> FileError {
            .invalidField(path: path, position: position, field: field, value: quoted(bytes.prefix(32)))
        }
        switch tag {
        case UInt8(ascii: "W"):
            guard let number = naturalNumber(value) else { throw invalid("width") }
            width = number
        case UInt8(ascii: "H"):
            guard let number = naturalNumber(value) else { throw invalid("height") }
            height = number
        case UInt8(ascii: "F"):
            guard let ratio = ratio(value) else { throw invalid("frame rate") }
            frameRate = FrameRate(validating: ratio.0, per: ratio.1)
            guard frameRate != nil || ratio == (0, 0) else { throw invalid("frame rate") }
        case UInt8(ascii: "I"):
            guard let known = Y4MHeader.Interlacing(rawValue: value) else { throw invalid("interlacing") }
            interlacing = known
        case UInt8(ascii: "A"):
            guard let ratio = ratio(value), (ratio.0 > 0) == (ratio.1 > 0) else { throw invalid("pixel aspect") }
            pixelAspect = ratio.0 > 0 ? PixelAspect(width: ratio.0, height: ratio.1) : nil
        case UInt8(ascii: "C"):
            guard let siting = Y4MHeader.ChromaSiting(rawValue: value) else {
                throw .unsupportedFormat(path: path, format: "Y4M of color format \(quoted(bytes.prefix(32)))")
            }
            chromaSiting = siting
        case UInt8(ascii: "X"):
            readExtension(value)
        default:
            // The format has no other tags. As with X, an unknown one does not affect the samples.
            break
        }
    }

    private mutating func readExtension(_ value: String) {
        switch value {
        case "COLORRANGE=FULL": range = .full
        case "COLORRANGE=LIMITED": range = .limited
        default: extensions.append(value)
        }
    }

    func header() throws(FileError) -> Y4MHeader {
        guard let width else { throw .missingParameter(path: path, parameter: "width (W)") }
        guard let height else { throw .missingParameter(path: path, parameter: "height (H)") }
        guard let resolution = Resolution(validatingWidth: width, height: height) else {
            throw .resolutionOutOfRange(path: path, width: width, height: height)
        }
        let siting = if let chromaSiting { chromaSiting } else { try sitingOfOldFiles() }
        return Y4MHeader(
            resolution: resolution, frameRate: frameRate, interlacing: interlacing, pixelAspect: pixelAspect,
            chromaSiting: siting, range: range, extensions: extensions)
    }

    /// Returns the chroma siting of older files, which store their format in `XYSCSS`; those of 4:2:0 may omit it.
    private func sitingOfOldFiles() throws(FileError) -> Y4MHeader.ChromaSiting {
        let key = "YSCSS="
        guard let value = extensions.last(where: { $0.hasPrefix(key) })?.dropFirst(key.count) else { return .jpeg }
        guard let siting = Y4MHeader.ChromaSiting(rawValue: value.lowercased()) else {
            throw .unsupportedFormat(path: path, format: "Y4M of color format \(quoted(value.utf8.prefix(32)))")
        }
        return siting
    }
}

/// Parses decimal digits only: no sign, no space. Returns `nil` for a number too large for `Int`.
private func naturalNumber(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
}

/// Parses a ratio such as `30000:1001`.
private func ratio(_ text: String) -> (Int, Int)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = naturalNumber(parts[0]) else { return nil }
    return naturalNumber(parts[1]).map { (first, $0) }
}
