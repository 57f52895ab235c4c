extension MutableSpan where Element == UInt8 {
    /// XORs `bytes` into the bytes from `offset` on: the parity operation of RFC 5109 §6. Traps if they do not fit.
    ///
    /// Uses raw pointers, so that the compiler vectorizes the loop.
    @_lifetime(self: copy self)
    mutating func xor(at offset: Int, with bytes: Span<UInt8>) {
        precondition(offset >= 0 && bytes.count <= count - offset, "\(bytes.count) bytes at \(offset) of \(count)")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Both accesses are within the bounds checked above, and a mutable span cannot overlap a borrowed
                // one.
                let (place, other) = unsafe (target.baseAddress! + offset, source.baseAddress!)
                for index in 0..<source.count { unsafe place[index] ^= other[index] }
            }
        }
    }

    /// Copies `bytes` to `offset`. Traps if they do not fit.
    @_lifetime(self: copy self)
    mutating func copy(_ bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count - offset, "\(bytes.count) bytes at \(offset) of \(count)")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                // Both accesses are within the bounds checked above.
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }
}
