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

    /// Appends all of `bytes`. Spans have no bulk append yet (Swift 6.3), so this goes through the raw buffer once.
    @_lifetime(self: copy self)
    mutating func append(copying bytes: Span<UInt8>) {
        precondition(bytes.count <= freeCapacity, "\(bytes.count) bytes, room for \(freeCapacity)")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Room was checked above, and a span that is being written cannot overlap one that is being read.
                unsafe (buffer.baseAddress! + initialized).initialize(from: source.baseAddress!, count: source.count)
            }
            initialized += bytes.count
        }
    }
}

extension [UInt8] {
    /// Appends all of `bytes`; allocates only when the capacity is used up.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { source in
            // The buffer holds as long as this call, which copies it.
            unsafe append(contentsOf: source)
        }
    }
}
