import RillCore

/// The description of a packet in a capture file, without its bytes, which start with the link layer's header.
struct CapturedPacket {
    /// The time in nanoseconds since 1970; `nil` if the file does not store it.
    var time: MediaTime?
    var linkType: LinkType
    /// The position of its bytes in the file.
    var position: Int

    /// The longest packet that is read; Wireshark's limit for ordinary links.
    static let maximumByteCount = 1 << 18
}

extension ByteInput {
    /// Replaces `bytes` with the `count` bytes of a captured packet.
    ///
    /// - Throws: `tooLarge`, or `truncated` if the file ends before (`bytes` then holds what exists).
    mutating func readPacket(_ count: Int, into bytes: inout [UInt8]) throws(FileError) {
        let limit = CapturedPacket.maximumByteCount
        guard count <= limit else { throw .tooLarge(path: path, position: position, byteCount: count, limit: limit) }
        try readAll(count, into: &bytes)
    }

    /// Skips `count` bytes.
    ///
    /// - Throws: `truncated` if the file ends before.
    mutating func skip(_ count: Int) throws(FileError) {
        let start = position
        var rest = count
        while rest > 0 {
            let available = min(try fill(1), rest)
            guard available > 0 else {
                throw .truncated(path: path, position: start, needed: count, available: count - rest)
            }
            consume(available)
            rest -= available
        }
    }
}
