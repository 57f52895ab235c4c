import Glibc

/// Returns the handler types of an MP4 file's tracks in order, `vide`, `soun`, `auxv`; empty for any other file.
///
/// Only the boxes on the way are read: `moov`, `trak`, `mdia`, `hdlr` (ISO/IEC 14496-12, 8.4.3). The file is untrusted.
func trackHandlers(_ path: String) -> [String] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
    let file = BoxFile(descriptor: descriptor, byteCount: Int(status.st_size))
    guard let movie = file.boxes(in: 0..<file.byteCount).first(where: { $0.type == "moov" }) else { return [] }
    return file.boxes(in: movie.content).filter { $0.type == "trak" }.map { track in
        guard let media = file.boxes(in: track.content).first(where: { $0.type == "mdia" }),
            let handler = file.boxes(in: media.content).first(where: { $0.type == "hdlr" }),
            // Version, flags and a reserved number precede the type.
            let bytes = file.bytes(at: handler.content.lowerBound + 8, 4)
        else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The boxes of a file that is read at selected positions.
private struct BoxFile {
    let descriptor: Int32
    let byteCount: Int

    struct Box {
        var type: String
        var content: Range<Int>
    }

    /// More boxes on one level than any file has whose tracks are examined.
    private static let limit = 1000

    /// Returns the boxes of a range; the last one ends with the range at the latest.
    func boxes(in range: Range<Int>) -> [Box] {
        var boxes: [Box] = []
        var position = range.lowerBound
        while boxes.count < Self.limit, position <= range.upperBound - 8, let head = bytes(at: position, 8) {
            var (header, size) = (8, number(head[0..<4]))
            if size == 1 {
                guard let long = bytes(at: position + 8, 8),
                    let exact = Int(exactly: long.reduce(0) { $0 << 8 | UInt64($1) })
                else { return boxes }
                (header, size) = (16, exact)
            } else if size == 0 {
                size = range.upperBound - position
            }
            guard size >= header else { return boxes }
            let end = size > range.upperBound - position ? range.upperBound : position + size
            guard position + header <= end else { return boxes }
            boxes.append(Box(type: String(decoding: head[4..<8], as: UTF8.self), content: position + header..<end))
            position = end
        }
        return boxes
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    func bytes(at position: Int, _ count: Int) -> [UInt8]? {
        guard position >= 0, position <= byteCount - count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        // The array has room for that many.
        return unsafe pread(descriptor, &bytes, count, off_t(position)) == count ? bytes : nil
    }
}
