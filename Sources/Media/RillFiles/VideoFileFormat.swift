/// The file types that this module reads or writes, detected by name or by first bytes.
public enum VideoFileFormat: String, Hashable, Sendable, CaseIterable {
    /// Uncompressed frames with a header: ``Y4MReader``, ``Y4MWriter``.
    case y4m
    /// Uncompressed frames of three planes without headers: ``RawVideoReader``, ``RawVideoWriter``.
    case i420
    /// Uncompressed frames of two planes without headers: ``RawVideoReader``, ``RawVideoWriter``.
    case nv12
    /// VP8 or VP9 frames: ``IVFReader``, ``IVFWriter``.
    case ivf
    /// RTP and RTCP packets: ``RTPDumpReader``, ``RTPDumpWriter``.
    case rtpDump
    /// Captured packets of any kind, RTP included: ``CaptureReader``, ``CaptureWriter``.
    case pcap
    /// Captured packets of several interfaces: ``CaptureReader``, ``CaptureWriter``.
    case pcapng
    /// A single picture: ``PNGWriter``.
    case png

    /// The file name extensions in lower case, the usual one first.
    public var pathExtensions: [String] {
        switch self {
        case .y4m: ["y4m"]
        case .i420: ["yuv", "i420"]
        case .nv12: ["nv12"]
        case .ivf: ["ivf"]
        case .rtpDump: ["rtpdump", "rtp"]
        case .pcap: ["pcap", "cap"]
        case .pcapng: ["pcapng"]
        case .png: ["png"]
        }
    }

    /// Returns the format for the extension of a file name, ignoring case; `nil` if it is unknown.
    public init?(path: String) {
        let ending = VideoFileFormat.ending(of: path)
        guard let format = VideoFileFormat.allCases.first(where: { $0.pathExtensions.contains(ending) }) else {
            return nil
        }
        self = format
    }

    /// Returns a file name's extension in small letters; empty if it has none.
    package static func ending(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}

extension VideoFileFormat {
    /// Detects the format of a file by its first bytes (16 are enough). Returns `nil` for raw video, which has no
    /// magic number, and for everything else.
    public init?(firstBytes bytes: Span<UInt8>) {
        for format in VideoFileFormat.allCases {
            guard format.magics.contains(where: { bytes.starts(with: $0) }) else { continue }
            self = format
            return
        }
        return nil
    }

    /// The magic numbers of the format; empty if it has none.
    private var magics: [[UInt8]] {
        switch self {
        case .y4m: [[UInt8](Y4MHeader.magic.utf8)]
        case .ivf: [[UInt8](IVFHeader.magic.utf8)]
        case .rtpDump: [[UInt8](RTPDumpHeader.magic.utf8)]
        case .pcap: PCAPFormat.magics
        case .pcapng: [[0x0A, 0x0D, 0x0D, 0x0A]]
        case .png: [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]]
        case .i420, .nv12: []
        }
    }
}

extension ByteInput {
    /// Detects the format of the next bytes without consuming them. So standard input, too, can be opened once,
    /// inspected, and passed to the right reader.
    package mutating func sniffFormat() throws(FileError) -> VideoFileFormat? {
        _ = try fill(16)
        return VideoFileFormat(firstBytes: buffered)
    }
}
