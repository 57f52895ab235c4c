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
