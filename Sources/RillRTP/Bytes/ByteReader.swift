/// Reads big-endian fields one after the other, and never beyond the end.
///
/// Always inlined: what is left of a field is one comparison and one load.
@frozen @usableFromInline
struct ByteReader: ~Escapable, BitwiseCopyable {
    @usableFromInline let bytes: Span<UInt8>
    /// Bytes read so far.
    @usableFromInline var position: Int

    /// A reader of `bytes` that begins at `position`, which lies in them or at their end.
    @inlinable @inline(__always) @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at position: Int = 0) {
        precondition(position >= 0 && position <= bytes.count, "byte \(position) of \(bytes.count)")
        self.bytes = bytes
        self.position = position
    }

    /// Bytes still to come.
    @inlinable @inline(__always)
    var remaining: Int { bytes.count &- position }

    /// Throws unless `count` more bytes are there.
    @inlinable @inline(__always)
    func require(_ count: Int) throws(RTPError) {
        guard remaining >= count else { throw .truncated(needed: position &+ count, available: bytes.count) }
    }

    @inlinable @inline(__always) @_lifetime(self: copy self)
    mutating func uint8() throws(RTPError) -> UInt8 { try integer() }

    @inlinable @inline(__always) @_lifetime(self: copy self)
    mutating func uint16() throws(RTPError) -> UInt16 { try integer() }

    @inlinable @inline(__always) @_lifetime(self: copy self)
    mutating func uint32() throws(RTPError) -> UInt32 { try integer() }

    /// Passes over `count` bytes, not fewer than none, and gives them.
    @inlinable @inline(__always) @_lifetime(copy self) @_lifetime(self: copy self)
    mutating func span(_ count: Int) throws(RTPError) -> Span<UInt8> {
        try require(count)
        defer { position &+= count }
        // The bytes are there: neither number is negative, and `require` has compared their sum with the end.
        return unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (position, position &+ count)))
    }

    /// Passes over `count` bytes, not fewer than none, and says where they stand.
    @inlinable @inline(__always) @_lifetime(self: copy self)
    mutating func range(_ count: Int) throws(RTPError) -> Range<Int> {
        try require(count)
        defer { position &+= count }
        return position..<position &+ count
    }

    @inlinable @inline(__always) @_lifetime(self: copy self)
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>() throws(RTPError) -> Value {
        let byteCount = Value.bitWidth / 8
        try require(byteCount)
        defer { position &+= byteCount }
        // The bytes are there: `position` is never negative, and `require` has compared it with the end.
        return unsafe Value(
            bigEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: Value.self))
    }
}

extension Span where Element == UInt8 {
    /// The four bytes from `offset` on as one number; they must be there.
    @inlinable @inline(__always)
    func bigEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }
}
