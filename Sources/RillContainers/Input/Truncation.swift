import Glibc

/// A file that is shorter than its own container says: a broken download, a full disk, a killed copy.
///
///     if let cut = Truncation(ofFile: "clip.mkv") { print("\(cut)") }
///
/// Told by the outermost structure alone, in a few small reads: the segment of Matroska and WebM (Matroska specification,
/// 5.1), the boxes of MP4 and MOV (ISO/IEC 14496-12, 4.2), the RIFF chunks of AVI, the packets of a transport stream
/// (ISO/IEC 13818-1, 2.4.3.2). What was written as a live stream says nothing of its length, nor does any other container;
/// a file that was cut between two boxes, chunks or packets looks whole.
public struct Truncation: Equatable, Sendable, CustomStringConvertible {
    /// Where the file ends.
    public let byteCount: Int
    /// Where it would end at the earliest.
    public let claimedByteCount: Int

    /// What is missing of a file; `nil` where nothing is, or nothing is said of it, or it cannot be read.
    public init?(ofFile path: String) {
        guard let file = FileProbe(path: path), let claimed = file.claimedByteCount, claimed > file.byteCount else {
            return nil
        }
        (byteCount, claimedByteCount) = (file.byteCount, claimed)
    }

    /// What is missing, in words.
    public var description: String { "the file is cut off: of \(claimedByteCount) bytes \(byteCount) are there" }
}

/// A file that is looked at here and there. Numbers in it are a stranger's.
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

    /// Where the container says that the file ends, as far as it says so.
    var claimedByteCount: Int? {
        guard let first = bytes(at: 0, 16) else { return nil }
        if first[0..<4] == [0x1A, 0x45, 0xDF, 0xA3] { return endOfSegment }
        if first[0..<4] == FileProbe.word("RIFF"), first[8..<12] == FileProbe.word("AVI ") { return endOfChunks }
        if FileProbe.boxTypes.contains(where: { first[4..<8] == FileProbe.word($0) }) { return endOfBoxes }
        return endOfPackets
    }

    private static func word(_ text: String) -> ArraySlice<UInt8> { ArraySlice(text.utf8) }

    // MARK: Matroska

    /// Behind the head, and perhaps some padding, the segment holds all the rest.
    private var endOfSegment: Int? {
        var position = 0
        for _ in 0..<16 {
            guard let element = element(at: position) else { return nil }
            guard let size = element.size, let end = sum(element.body, size) else { return nil }
            if element.identifier == 0x1853_8067 { return end }
            position = end
        }
        return nil
    }

    /// An element's head: identifier and size, of which leading zero bits tell how long they are (RFC 8794, 4 to 6).
    private func element(at position: Int) -> (identifier: UInt64, size: Int?, body: Int)? {
        guard let head = bytes(at: position, 12) else { return nil }
        let identifierLength = head[0].leadingZeroBitCount + 1
        guard identifierLength <= 4 else { return nil }
        let identifier = head[..<identifierLength].reduce(0) { $0 << 8 | UInt64($1) }
        let length = head[identifierLength].leadingZeroBitCount + 1
        guard length <= 8, identifierLength + length <= head.count else { return nil }
        let mask = UInt64(1) << UInt64(7 * length) - 1
        let size = head[identifierLength..<identifierLength + length].reduce(0) { $0 << 8 | UInt64($1) } & mask
        // All ones: not known.
        return (identifier, size == mask ? nil : Int(exactly: size), position + identifierLength + length)
    }

    // MARK: MP4, AVI, transport streams

    /// What stands outermost in an MP4 or MOV.
    private static let boxTypes = [
        "ftyp", "moov", "mdat", "moof", "mfra", "free", "skip", "wide", "pnot", "styp", "sidx", "ssix", "emsg", "prft",
        "uuid", "meta", "udta", "pdin",
    ]
    /// More boxes or chunks are not followed: a day of fragments of a second has a third of them.
    private static let stepLimit = 500_000

    private var endOfBoxes: Int? {
        var position = 0
        for _ in 0..<FileProbe.stepLimit {
            // What is no box that is known is somebody's appendix, or damage: it says nothing.
            guard let head = bytes(at: position, 8),
                FileProbe.boxTypes.contains(where: { head[4..<8] == FileProbe.word($0) })
            else { return nil }
            var size = Int(head[0..<4].reduce(0) { $0 << 8 | UInt64($1) })
            if size == 1 {
                guard let long = bytes(at: position + 8, 8) else { return nil }
                guard let exact = Int(exactly: long.reduce(0) { $0 << 8 | UInt64($1) }) else { return nil }
                size = exact
            }
            // 0 is "to the end".
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
            // 0 was never filled in. The byte that makes the length even may be left out at the end.
            guard size > 0 else { return nil }
            let end = position + 8 + size
            guard end < byteCount else { return end }
            position = end + size % 2
        }
        return nil
    }

    /// Packets of 188 bytes, with a stamp of 4 before each (M2TS) or a checksum of 16 behind: all begin alike.
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

    /// `nil` where there are not so many.
    private func bytes(at position: Int, _ count: Int) -> [UInt8]? {
        guard position >= 0, position <= byteCount - count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        // They have room for that.
        let read = unsafe pread(descriptor, &bytes, count, off_t(position))
        return read == count ? bytes : nil
    }

    private func sum(_ position: Int, _ size: Int) -> Int? {
        let (sum, isTooLarge) = position.addingReportingOverflow(size)
        return isTooLarge ? nil : sum
    }
}
