import RillCore

/// What a capture file says of one packet; the packet's bytes, from the link's head on, come beside it.
struct CapturedPacket {
    /// In nanoseconds since 1970; `nil` where the file does not say.
    var time: MediaTime?
    var linkType: LinkType
    /// Where in the file its bytes begin.
    var position: Int

    /// The longest packet that is read, the most that Wireshark takes of an ordinary link.
    static let maximumByteCount = 1 << 18
}

extension ByteInput {
    /// Buffers `count` bytes of a structure that begins here.
    ///
    /// - Throws: `truncated`, when the file ends before.
    mutating func require(_ count: Int) throws(FileError) {
        let available = try fill(count)
        guard available >= count else {
            throw .truncated(path: path, position: position, needed: count, available: available)
        }
    }

    /// Replaces `bytes` by the `count` bytes of a captured packet.
    ///
    /// - Throws: `tooLarge`, or `truncated` when the file ends before (`bytes` then holds what there is).
    mutating func readPacket(_ count: Int, into bytes: inout [UInt8]) throws(FileError) {
        let limit = CapturedPacket.maximumByteCount
        let start = position
        guard count <= limit else { throw .tooLarge(path: path, position: start, byteCount: count, limit: limit) }
        try read(count, into: &bytes)
        guard bytes.count == count else {
            throw .truncated(path: path, position: start, needed: count, available: bytes.count)
        }
    }

    /// Passes over `count` bytes.
    ///
    /// - Throws: `truncated`, when the file ends before.
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
