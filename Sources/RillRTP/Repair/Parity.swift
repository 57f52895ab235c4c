extension MutableSpan where Element == UInt8 {
    /// Exclusive or of the bytes from `offset` on with `bytes`, which must fit: the parity of RFC 5109 §6.
    ///
    /// Through bare pointers, whose loop the compiler turns into vectors.
    @_lifetime(self: copy self)
    mutating func formFECPacket(at offset: Int, with bytes: Span<UInt8>) {
        precondition(offset >= 0 && bytes.count <= count - offset, "\(bytes.count) bytes at \(offset) of \(count)")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Both reach as far as was checked above, and one that is written overlaps none that is read.
                let (place, other) = unsafe (target.baseAddress! + offset, source.baseAddress!)
                for index in 0..<source.count { unsafe place[index] ^= other[index] }
            }
        }
    }

    /// Copies `bytes`, which must fit, to `offset`.
    @_lifetime(self: copy self)
    mutating func copy(_ bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count - offset, "\(bytes.count) bytes at \(offset) of \(count)")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                // Both reach as far as was checked above.
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }
}
