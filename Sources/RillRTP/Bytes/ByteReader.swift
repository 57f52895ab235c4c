/// Reads big-endian fields one after the other, and never beyond the end.
struct ByteReader: ~Escapable {
    private let bytes: Span<UInt8>
    /// Bytes read so far.
    private(set) var position: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// Bytes still to come.
    var remaining: Int { bytes.count - position }

    /// Throws unless `count` more bytes are there.
    func require(_ count: Int) throws(RTPError) {
        guard remaining >= count else { throw .truncated(needed: position + count, available: bytes.count) }
    }

    @_lifetime(self: copy self)
    mutating func uint8() throws(RTPError) -> UInt8 {
        try require(1)
        defer { position += 1 }
        return bytes[position]
    }

    @_lifetime(self: copy self)
    mutating func uint16() throws(RTPError) -> UInt16 {
        try require(2)
        defer { position += 2 }
        return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    @_lifetime(self: copy self)
    mutating func uint32() throws(RTPError) -> UInt32 {
        try require(4)
        defer { position += 4 }
        return bytes.bigEndianUInt32(at: position)
    }

    /// Passes over `count` bytes and says where they stand.
    @_lifetime(self: copy self)
    mutating func range(_ count: Int) throws(RTPError) -> Range<Int> {
        try require(count)
        defer { position += count }
        return position..<position + count
    }
}

extension Span where Element == UInt8 {
    /// The four bytes from `offset` on as one number; they must be there.
    func bigEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }
}
