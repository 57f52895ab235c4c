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
