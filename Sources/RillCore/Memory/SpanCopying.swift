// Spans have no bulk copy of their own yet (Swift 6.3): this is the one place that makes it.

extension MutableSpan where Element == UInt8 {
    /// Copies all of `source` to the bytes from `offset` on; what does not fit is the programmer's mistake.
    @_lifetime(self: copy self)
    package mutating func copy(from source: Span<UInt8>, at offset: Int = 0) {
        precondition(
            offset >= 0 && source.count <= count && offset <= count - source.count,
            "\(source.count) bytes at \(offset) of \(count)")
        guard !source.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe source.withUnsafeBufferPointer { source in
                // Bounds were checked above; an exclusive span cannot overlap a borrowed one.
                unsafe (target.baseAddress! + offset).update(from: source.baseAddress!, count: source.count)
            }
        }
    }
}

extension [UInt8] {
    /// Appends all bytes of `source`; allocates only when the capacity is used up.
    package mutating func append(copying source: Span<UInt8>) {
        unsafe source.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension [UInt8] {
    /// An array with the bytes of `source`.
    package init(copying source: Span<UInt8>) {
        self.init()
        reserveCapacity(source.count)
        append(copying: source)
    }
}
