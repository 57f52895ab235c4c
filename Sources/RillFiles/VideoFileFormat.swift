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
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let format = VideoFileFormat.allCases.first(where: { $0.pathExtensions.contains(ending) }) else {
            return nil
        }
        self = format
    }
}
