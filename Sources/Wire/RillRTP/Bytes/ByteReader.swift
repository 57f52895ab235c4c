/// Reads big-endian fields in order and never past the end.
///
/// Always inlined: each field compiles to one comparison and one load.
@frozen @usableFromInline
struct ByteReader: ~Escapable, BitwiseCopyable {
    @usableFromInline let bytes: Span<UInt8>
    /// Bytes read so far.
    @usableFromInline var position: Int

    /// A reader of `bytes` that starts at `position`. Traps unless `position` is 0 to `bytes.count`.
    @inlinable @inline(__always) @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at position: Int = 0) {
        precondition(position >= 0 && position <= bytes.count, "byte \(position) of \(bytes.count)")
        self.bytes = bytes
        self.position = position
    }

    /// Bytes not yet read.
    @inlinable @inline(__always)
    var remaining: Int { bytes.count &- position }

    /// Throws `truncated` unless at least `count` bytes remain.
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

    /// Reads `count` bytes (0 or more) and returns them.
    @inlinable @inline(__always) @_lifetime(copy self) @_lifetime(self: copy self)
    mutating func span(_ count: Int) throws(RTPError) -> Span<UInt8> {
        try require(count)
        defer { position &+= count }
        // The bytes are there: neither number is negative, and `require` has compared their sum with the end.
        return unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (position, position &+ count)))
    }

    /// Skips `count` bytes (0 or more) and returns their range.
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
    /// The four bytes at `offset` as a big-endian integer. Traps if they are out of bounds.
    @inlinable @inline(__always)
    func bigEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }
}

// Writing mirrors `ByteReader`: big-endian fields appended to a span of fixed capacity. The caller provides the
// capacity (every structure has a `byteCount`), so running out of it traps.

extension OutputSpan where Element == UInt8 {
    /// Appends the bytes of `value`, most significant first. Always inlined: compiles to one comparison and one
    /// store.
    @inline(__always) @_lifetime(self: copy self)
    mutating func append<Value: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(bigEndian value: Value) {
        let byteCount = Value.bitWidth / 8
        precondition(byteCount <= freeCapacity, "\(byteCount) bytes, room for \(freeCapacity)")
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            // Room was checked above.
            let end = unsafe UnsafeMutableRawPointer(buffer.baseAddress! + initialized)
            unsafe end.storeBytes(of: value.bigEndian, as: Value.self)
            initialized &+= byteCount
        }
    }
}
