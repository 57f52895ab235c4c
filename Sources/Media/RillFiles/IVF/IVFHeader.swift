public import RillCore
import RillRTP

/// The header of an IVF file: its first 32 bytes.
///
/// IVF as vpxenc writes it; all fields are little-endian:
///
/// ```text
/// file, 32 bytes                          frame, 12 bytes, then its payload
///  0  "DKIF"                               0  bytes of payload      uint32
///  4  version, 0            uint16         4  timestamp, in ticks   uint64
///  6  bytes of header, 32   uint16
///  8  codec: "VP80", "VP90"
/// 12  width                 uint16
/// 14  height                uint16
/// 16  ticks in …            uint32
/// 20  … this many seconds   uint32
/// 24  frames in the file    uint32
/// 28  not used              uint32
/// ```
public struct IVFHeader: Hashable, Sendable {
    /// The codec of the frames.
    public var codec: VideoCodec
    /// The size of the pictures in pixels; `nil` if the file has 0x0. The frames are authoritative: a decoder takes
    /// the size from them.
    public var resolution: Resolution?
    /// The unit of the frames' timestamps.
    public var timeBase: TimeBase
    /// The number of frames according to the file. It is 0 if the writer could not go back to fill it in.
    public var frameCount: Int

    /// The unit of timestamps, as a ratio: one tick is `numerator / denominator` seconds.
    public struct TimeBase: Hashable, Sendable, CustomStringConvertible {
        /// The seconds of `denominator` ticks.
        public let numerator: UInt32
        /// The number of ticks.
        public let denominator: UInt32

        /// Creates a ratio of two positive numbers; others trap.
        public init(_ numerator: UInt32, _ denominator: UInt32) {
            precondition(numerator > 0 && denominator > 0, "a time base of \(numerator)/\(denominator) s")
            self.numerator = numerator
            self.denominator = denominator
        }

        /// The clock rate of RTP video.
        public static let rtpVideo = TimeBase(1, UInt32(RTPTimestamp.videoClockRate))

        /// Returns the time of a timestamp, rounded to the nearest nanosecond; `nil` if it is more than 73 years from
        /// zero.
        public func time(ofTicks ticks: Int64) -> MediaTime? {
            FileTime.time(ofTicks: ticks, numerator: numerator, denominator: denominator)
        }

        /// Returns the timestamp of a time, rounded to the nearest tick, and clamped to 64 bits.
        public func ticks(of time: MediaTime) -> Int64 {
            let scaled = Int128(time.nanoseconds) * Int128(denominator)
            let unit = Int128(numerator) * 1_000_000_000
            return Int64(clamping: (scaled + (scaled < 0 ? -unit / 2 : unit / 2)) / unit)
        }

        /// `1/30`, in seconds.
        public var description: String { "\(numerator)/\(denominator)" }
    }

    /// Creates a header. By default the file holds no frame yet, and uses RTP's clock rate.
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
    /// The position of the number of frames, which is filled in at the end.
    static let frameCountPosition = 24
}

extension IVFHeader {
    /// Parses the first ``byteCount`` bytes of a file. ``magic`` has been checked.
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

    /// The first 32 bytes of a file. Only files of built-in codecs are written.
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
    /// The codec's four-character code in IVF; `nil` if Rill does not write such files.
    fileprivate var fourCC: [UInt8]? {
        traits?.video.map { [UInt8]($0.ivfTag.utf8) }
    }
}
