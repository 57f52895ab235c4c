import RillCore

// Big-endian fields at an offset, for headers whose size was checked before.

extension Span where Element == UInt8 {
    /// The integer at `offset`. Traps if it is out of bounds.
    @inline(__always)
    func bigEndian<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type, at offset: Int) -> Value {
        var value: Value = 0
        for index in 0..<Value.bitWidth / 8 { value = value << 8 | Value(truncatingIfNeeded: self[offset &+ index]) }
        return value
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends the bytes of `value`, most significant first. Traps unless there is room.
    @inline(__always) @_lifetime(self: copy self)
    mutating func append<Value: FixedWidthInteger & UnsignedInteger>(bigEndian value: Value) {
        for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
    }

    /// Overwrites the two bytes at `offset`. Traps if they were not written before.
    @_lifetime(self: copy self)
    mutating func overwrite(bigEndian value: UInt16, at offset: Int) {
        var bytes = mutableSpan
        bytes[offset] = UInt8(value >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
    }
}
