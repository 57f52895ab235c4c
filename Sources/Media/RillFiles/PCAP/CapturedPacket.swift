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
    /// Buffers `count` bytes of a structure that starts here.
    ///
    /// - Throws: `truncated` if the file ends before.
    mutating func require(_ count: Int) throws(FileError) {
        let available = try fill(count)
        guard available >= count else {
            throw .truncated(path: path, position: position, needed: count, available: available)
        }
    }

    /// Replaces `bytes` with the `count` bytes of a captured packet.
    ///
    /// - Throws: `tooLarge`, or `truncated` if the file ends before (`bytes` then holds what exists).
    mutating func readPacket(_ count: Int, into bytes: inout [UInt8]) throws(FileError) {
        let limit = CapturedPacket.maximumByteCount
        let start = position
        guard count <= limit else { throw .tooLarge(path: path, position: start, byteCount: count, limit: limit) }
        try read(count, into: &bytes)
        guard bytes.count == count else {
            throw .truncated(path: path, position: start, needed: count, available: bytes.count)
        }
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
