import Glibc

/// A file that is shorter than its own container declares: an interrupted download, a full disk, a killed copy.
///
/// ```swift
/// if let cut = Truncation(ofFile: "clip.mkv") { print("\(cut)") }
/// ```
///
/// Only the outermost structure is examined, in a few small reads: the segment of Matroska and WebM (Matroska
/// specification, 5.1), the boxes of MP4 and MOV (ISO/IEC 14496-12, 4.2), the RIFF chunks of AVI, the packets of a
/// transport stream (ISO/IEC 13818-1, 2.4.3.2). A live recording of Matroska or WebM does
/// not declare its length, but its blocks do. Other live streams and containers declare nothing. A file that was
/// truncated between two boxes, blocks, chunks or packets looks complete.
public struct Truncation: Equatable, Sendable, CustomStringConvertible {
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The minimum size that the container declares.
    public let claimedByteCount: Int

    /// Examines a file. Returns `nil` if nothing is missing, nothing is declared, or the file cannot be read.
    public init?(ofFile path: String) {
        guard let file = FileProbe(path: path), let claimed = file.claimedByteCount, claimed > file.byteCount else {
            return nil
        }
        (byteCount, claimedByteCount) = (file.byteCount, claimed)
    }

    /// The missing part, in words.
    public var description: String { "the file is cut off: of \(claimedByteCount) bytes \(byteCount) are there" }
}

/// A file that is read at selected positions. Its content is untrusted.
private struct FileProbe: ~Copyable {
    let byteCount: Int
    private let descriptor: Int32

    init?(path: String) {
        var status = stat()
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        byteCount = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// The end of the file that the container declares, if any.
    var claimedByteCount: Int? {
        guard let first = bytes(at: 0, 16) else { return nil }
        if first[0..<4] == [0x1A, 0x45, 0xDF, 0xA3] { return endOfSegment }
        if first[0..<4] == FileProbe.word("RIFF"), first[8..<12] == FileProbe.word("AVI ") { return endOfChunks }
        if FileProbe.boxTypes.contains(where: { first[4..<8] == FileProbe.word($0) }) { return endOfBoxes }
        return endOfPackets
    }

    private static func word(_ text: String) -> ArraySlice<UInt8> { ArraySlice(text.utf8) }

    // MARK: Matroska

    /// The segment follows the header, and perhaps some padding, and holds everything else.
    private var endOfSegment: Int? {
        var position = 0
        for _ in 0..<16 {
            guard let element = element(at: position) else { return nil }
            guard let size = element.size else {
                return element.identifier == 0x1853_8067 ? endOfLiveSegment(from: element.body) : nil
            }
            guard let end = sum(element.body, size) else { return nil }
            if element.identifier == 0x1853_8067 { return end }
            position = end
        }
        return nil
    }

    /// A live recording's segment has no size, and often its clusters have none either: then their blocks are examined.
    /// `nil` if the file ends with an element.
    private func endOfLiveSegment(from start: Int) -> Int? {
        var position = start
        for _ in 0..<FileProbe.stepLimit {
            guard position < byteCount else { return position > byteCount ? position : nil }
            guard let element = element(at: position) else {
                return isHeaderCut(at: position) ? byteCount + 1 : nil
            }
            guard let size = element.size else {
                guard element.identifier == 0x1F43_B675 else { return nil }
                position = element.body
                continue
            }
            guard let end = sum(element.body, size) else { return nil }
            position = end
        }
        return nil
    }

    /// Whether the file ends within an element's header.
    private func isHeaderCut(at position: Int) -> Bool {
        guard let first = bytes(at: position, 1)?[0] else { return false }
        let identifierLength = first.leadingZeroBitCount + 1
        guard identifierLength <= 4 else { return false }
        guard let length = bytes(at: position + identifierLength, 1)?[0].leadingZeroBitCount else { return true }
        return length < 8 && position + identifierLength + length + 1 > byteCount
    }

    /// Bytes of the longest identifier and size.
    private static let longestHeader = 12

    /// Parses an element's header: identifier and size, whose lengths are given by leading zero bits (RFC 8794, 4 to
    /// 6).
    private func element(at position: Int) -> (identifier: UInt64, size: Int?, body: Int)? {
        let available = max(0, byteCount - position)
        guard available > 0, let head = bytes(at: position, min(available, FileProbe.longestHeader)) else { return nil }
        let identifierLength = head[0].leadingZeroBitCount + 1
        guard identifierLength <= 4, identifierLength < head.count else { return nil }
        let identifier = head[..<identifierLength].reduce(0) { $0 << 8 | UInt64($1) }
        let length = head[identifierLength].leadingZeroBitCount + 1
        guard length <= 8, identifierLength + length <= head.count else { return nil }
        let mask = UInt64(1) << UInt64(7 * length) - 1
        let size = head[identifierLength..<identifierLength + length].reduce(0) { $0 << 8 | UInt64($1) } & mask
        // All ones: unknown.
        return (identifier, size == mask ? nil : Int(exactly: size), position + identifierLength + length)
    }

    // MARK: MP4, AVI, transport streams

    /// The outermost boxes of an MP4 or MOV file.
    private static let boxTypes = [
        "ftyp", "moov", "mdat", "moof", "mfra", "free", "skip", "wide", "pnot", "styp", "sidx", "ssix", "emsg", "prft",
        "uuid", "meta", "udta", "pdin",
    ]
    /// The maximum number of boxes or chunks: a day of one-second fragments has a third of them.
    private static let stepLimit = 500_000

    private var endOfBoxes: Int? {
        var position = 0
        for _ in 0..<FileProbe.stepLimit {
            // An unknown box is an appendix or damage, and declares nothing.
            guard let head = bytes(at: position, 8),
                FileProbe.boxTypes.contains(where: { head[4..<8] == FileProbe.word($0) })
            else { return nil }
            var size = Int(head[0..<4].reduce(0) { $0 << 8 | UInt64($1) })
            if size == 1 {
                guard let long = bytes(at: position + 8, 8) else { return nil }
                guard let exact = Int(exactly: long.reduce(0) { $0 << 8 | UInt64($1) }) else { return nil }
                size = exact
            }
            // 0 means "to the end".
            guard size >= 8, let end = sum(position, size) else { return nil }
            guard end < byteCount else { return end }
            position = end
        }
        return nil
    }

    private var endOfChunks: Int? {
        var position = 0
        for _ in 0..<FileProbe.stepLimit {
            guard let head = bytes(at: position, 12), head[0..<4] == FileProbe.word("RIFF") else { return nil }
            let size = Int(head[4..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
            // 0 was never filled in. The padding byte of an odd length may be missing at the end.
            guard size > 0 else { return nil }
            let end = position + 8 + size
            guard end < byteCount else { return end }
            position = end + size % 2
        }
        return nil
    }

    /// Packets of 188 bytes, optionally with a timestamp of 4 bytes before each (M2TS) or a checksum of 16 bytes
    /// after it. All start with the same byte.
    private var endOfPackets: Int? {
        for (length, offset) in [(188, 0), (192, 4), (204, 0)] {
            let last = byteCount / length - 1
            guard last >= 2, [0, 1, 2, last].allSatisfy({ bytes(at: $0 * length + offset, 1) == [0x47] }) else {
                continue
            }
            return (byteCount + length - 1) / length * length
        }
        return nil
    }

    // MARK: Reading

    /// Reads `count` bytes; `nil` if there are fewer.
    private func bytes(at position: Int, _ count: Int) -> [UInt8]? {
        guard position >= 0, position <= byteCount - count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        // The array has room for that many.
        let read = unsafe pread(descriptor, &bytes, count, off_t(position))
        return read == count ? bytes : nil
    }

    private func sum(_ position: Int, _ size: Int) -> Int? {
        let (sum, isTooLarge) = position.addingReportingOverflow(size)
        return isTooLarge ? nil : sum
    }
}
