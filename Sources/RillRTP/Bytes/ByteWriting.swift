// Writing is the mirror of `ByteReader`: big-endian fields appended to a span of fixed capacity. Capacity is the
// caller's to provide (every structure says its `byteCount` beforehand), so running out of it traps.

extension OutputSpan where Element == UInt8 {
    /// Appends the bytes of `value`, the highest first. Always inlined: what is left is one comparison and one store.
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
