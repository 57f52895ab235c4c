extension VideoFileFormat {
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
