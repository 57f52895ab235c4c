public import RillCore

// IVF, as vpxenc writes it; all fields little-endian:
//
//     file, 32 bytes                          frame, 12 bytes, then its payload
//      0  "DKIF"                               0  bytes of payload      uint32
//      4  version, 0            uint16         4  time stamp, in ticks  uint64
//      6  bytes of header, 32   uint16
//      8  codec: "VP80", "VP90"
//     12  width                 uint16
//     14  height                uint16
//     16  ticks in …            uint32
//     20  … so many seconds     uint32
//     24  frames in the file    uint32
//     28  not used              uint32

/// What the first 32 bytes of an IVF file say.
public struct IVFHeader: Hashable, Sendable {
    /// What the frames are coded with.
    public var codec: VideoCodec
    /// Size of the pictures in pixels; `nil` where the file says 0x0. The frames know better: a decoder takes the size
    /// from them.
    public var resolution: Resolution?
    /// The unit of the frames' time stamps.
    public var timeBase: TimeBase
    /// How many frames the file claims to hold. It is 0 in a file whose writer could not come back to fill it in.
    public var frameCount: Int

    /// A length of time that time stamps count in, as a ratio: one tick is `numerator / denominator` seconds.
    public struct TimeBase: Hashable, Sendable, CustomStringConvertible {
        /// Seconds of `denominator` ticks.
        public let numerator: UInt32
        /// Ticks.
        public let denominator: UInt32

        /// A ratio of two numbers above zero: anything else is the caller's mistake.
        public init(_ numerator: UInt32, _ denominator: UInt32) {
            precondition(numerator > 0 && denominator > 0, "a time base of \(numerator)/\(denominator) s")
            self.numerator = numerator
            self.denominator = denominator
        }

        /// 1/90000 s: the clock of RTP video.
        public static let rtpVideo = TimeBase(1, 90000)

        /// The time of a stamp, rounded to the nearest nanosecond; `nil` where it lies more than 73 years from zero.
        public func time(ofTicks ticks: Int64) -> MediaTime? {
            FileTime.time(ofTicks: ticks, numerator: numerator, denominator: denominator)
        }

        /// The stamp of a time, rounded to the nearest tick, and clamped to what 64 bits hold.
        public func ticks(of time: MediaTime) -> Int64 {
            let scaled = Int128(time.nanoseconds) * Int128(denominator)
            let unit = Int128(numerator) * 1_000_000_000
            return Int64(clamping: (scaled + (scaled < 0 ? -unit / 2 : unit / 2)) / unit)
        }

        /// `1/90000`, in seconds.
        public var description: String { "\(numerator)/\(denominator)" }
    }

    /// A header; by default of a file that holds no frame yet, with RTP's clock.
    public init(codec: VideoCodec, resolution: Resolution?, timeBase: TimeBase = .rtpVideo, frameCount: Int = 0) {
        self.codec = codec
        self.resolution = resolution
        self.timeBase = timeBase
        self.frameCount = frameCount
    }

    /// The first bytes of every file.
    static let magic = "DKIF"
    static let byteCount = 32
    static let frameHeaderByteCount = 12
    /// Where the number of frames stands, to be filled in at the end.
    static let frameCountPosition = 24
}

extension IVFHeader {
    /// Takes the first ``byteCount`` bytes of a file apart; ``magic`` has been checked.
    init(parsing bytes: Span<UInt8>, path: String) throws(FileError) {
        func invalid(_ position: Int, _ field: String, _ value: String) -> FileError {
            .invalidField(path: path, position: position, field: field, value: value)
        }
        let version = bytes.littleEndian(UInt16.self, at: 4)
        guard version == 0 else { throw .unsupportedFormat(path: path, format: "IVF of version \(version)") }
        let length = bytes.littleEndian(UInt16.self, at: 6)
        guard length == IVFHeader.byteCount else { throw invalid(6, "length of the header", "\(length)") }
        let fourCC = bytes.extracting(8..<12).prefixBytes()
        guard let codec = VideoCodec.allCases.first(where: { $0.fourCC == fourCC }) else {
            throw .unsupportedFormat(path: path, format: "IVF of codec \(quoted(fourCC))")
        }
        let width = Int(bytes.littleEndian(UInt16.self, at: 12))
        let height = Int(bytes.littleEndian(UInt16.self, at: 14))
        let resolution = Resolution(validatingWidth: width, height: height)
        guard resolution != nil || (width, height) == (0, 0) else {
            throw .resolutionOutOfRange(path: path, width: width, height: height)
        }
        let denominator = bytes.littleEndian(UInt32.self, at: 16)
        let numerator = bytes.littleEndian(UInt32.self, at: 20)
        guard numerator > 0, denominator > 0 else { throw invalid(16, "time base", "\(numerator)/\(denominator)") }
        self.init(
            codec: codec, resolution: resolution, timeBase: TimeBase(numerator, denominator),
            frameCount: Int(bytes.littleEndian(UInt32.self, at: IVFHeader.frameCountPosition)))
    }

    /// The first 32 bytes of a file. Of a codec that is neither VP8 nor VP9 no file is written.
    var bytes: [UInt8] {
        var bytes = [UInt8](IVFHeader.magic.utf8)
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: UInt16(IVFHeader.byteCount))
        bytes += codec.fourCC ?? [0, 0, 0, 0]
        bytes.append(littleEndian: UInt16(resolution?.width ?? 0))
        bytes.append(littleEndian: UInt16(resolution?.height ?? 0))
        bytes.append(littleEndian: timeBase.denominator)
        bytes.append(littleEndian: timeBase.numerator)
        bytes.append(littleEndian: UInt32(clamping: frameCount))
        bytes.append(littleEndian: UInt32(0))
        return bytes
    }
}

extension VideoCodec {
    /// The four letters that IVF names the codec by, where Rill writes such files.
    fileprivate var fourCC: [UInt8]? {
        switch self {
        case .vp8: [UInt8]("VP80".utf8)
        case .vp9: [UInt8]("VP90".utf8)
        default: nil
        }
    }
}
