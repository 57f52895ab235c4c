// Spans have no bulk copy yet (Swift 6.3); this file is the only implementation.

extension Span where Element == UInt8 {
    /// A copy that outlives the span.
    ///
    /// ```swift
    /// received.append(packet.payload.array)
    /// ```
    @inlinable
    public var array: [UInt8] {
        [UInt8](capacity: count) { output in output.append(copying: self) }
    }
}

extension [UInt8] {
    /// Appends all bytes of `source`. Allocates only if the capacity is exhausted.
    @inlinable
    public mutating func append(copying source: Span<UInt8>) {
        // The buffer is valid during this call, which copies it.
        unsafe source.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends all bytes of `source`. Traps unless there is room for them.
    @inlinable @_lifetime(self: copy self)
    public mutating func append(copying source: Span<UInt8>) {
        precondition(source.count <= freeCapacity, "\(source.count) bytes, room for \(freeCapacity)")
        guard !source.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe source.withUnsafeBufferPointer { source in
                // Room was checked above, and a mutable span cannot overlap a borrowed one.
                unsafe (buffer.baseAddress! + initialized).initialize(from: source.baseAddress!, count: source.count)
            }
            initialized += source.count
        }
    }
}

extension MutableSpan where Element == UInt8 {
    /// Copies all of `source` to the bytes from `offset` on. Traps if they do not fit.
    @_lifetime(self: copy self)
    package mutating func copy(from source: Span<UInt8>, at offset: Int = 0) {
        precondition(
            offset >= 0 && source.count <= count && offset <= count - source.count,
            "\(source.count) bytes at \(offset) of \(count)")
        guard !source.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe source.withUnsafeBufferPointer { source in
                // Bounds were checked above, and an exclusive span cannot overlap a borrowed one.
                unsafe (target.baseAddress! + offset).update(from: source.baseAddress!, count: source.count)
            }
        }
    }
}
