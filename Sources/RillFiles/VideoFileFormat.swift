/// The kinds of file that this module reads or writes, told apart by their names or by their first bytes.
public enum VideoFileFormat: String, Hashable, Sendable, CaseIterable {
    /// Uncompressed frames with a header: ``Y4MReader``, ``Y4MWriter``.
    case y4m
    /// Uncompressed frames of three planes, without header: ``RawVideoReader``, ``RawVideoWriter``.
    case i420
    /// Uncompressed frames of two planes, without header: ``RawVideoReader``, ``RawVideoWriter``.
    case nv12
    /// VP8 or VP9 frames: ``IVFReader``, ``IVFWriter``.
    case ivf
    /// RTP and RTCP packets: ``RTPDumpReader``, ``RTPDumpWriter``.
    case rtpDump
    /// Packets of any kind, RTP among them: ``CaptureReader``, ``CaptureWriter``.
    case pcap
    /// The same with several interfaces: ``CaptureReader``, ``CaptureWriter``.
    case pcapng
    /// One picture: ``PNGWriter``.
    case png

    /// The endings of file names, in lower case; the first one is the usual.
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

    /// The format that the ending of a file's name stands for, in upper or lower case; `nil` when it stands for none.
    public init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let format = VideoFileFormat.allCases.first(where: { $0.pathExtensions.contains(ending) }) else {
            return nil
        }
        self = format
    }

    /// The format of a file that begins with `bytes` (16 are enough); `nil` for raw video, which has no mark of its own,
    /// and for everything else.
    public init?(firstBytes bytes: Span<UInt8>) {
        for format in VideoFileFormat.allCases {
            guard format.magics.contains(where: { bytes.starts(with: $0) }) else { continue }
            self = format
            return
        }
        return nil
    }

    /// What files of this kind begin with; none where they have no mark.
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
    /// What the next bytes look like, without consuming them: so that standard input, too, is opened once, looked at,
    /// and handed to the right reader.
    package mutating func sniffFormat() throws(FileError) -> VideoFileFormat? {
        _ = try fill(16)
        return VideoFileFormat(firstBytes: buffered)
    }
}
