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
}
