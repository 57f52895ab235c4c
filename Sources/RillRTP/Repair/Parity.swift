extension MutableSpan where Element == UInt8 {
    /// Exclusive or of the bytes from `offset` on with `bytes`, which must fit: the parity of RFC 5109 §6.
    ///
    /// Word by word: byte by byte it would cost eight times as much.
    @_lifetime(self: copy self)
    mutating func formParity(at offset: Int, with bytes: Span<UInt8>) {
        precondition(offset >= 0 && bytes.count <= count - offset, "\(bytes.count) bytes at \(offset) of \(count)")
        let wordCount = bytes.count / 8
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                // Both reach as far as was checked above, and one that is written overlaps none that is read.
                for word in 0..<wordCount {
                    let value = unsafe source.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self)
                    let place = offset + 8 * word
                    let old = unsafe target.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    unsafe target.storeBytes(of: old ^ value, toByteOffset: place, as: UInt64.self)
                }
            }
        }
        for index in 8 * wordCount..<bytes.count { self[offset + index] ^= bytes[index] }
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
