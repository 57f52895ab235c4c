import Glibc

/// Bytes that never appear in descriptions, and that are overwritten when the last reference is released.
@safe
final class SecretBytes: @unchecked Sendable {
    // Manually Sendable: the memory is written only in the initializer and in `deinit`.
    let count: Int
    private let base: UnsafeMutableRawPointer

    /// Allocates `count` bytes and initializes them with `fill`.
    init(count: Int, _ fill: (inout OutputSpan<UInt8>) -> Void) {
        self.count = count
        unsafe base = .allocate(byteCount: max(1, count), alignment: 16)
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        let bytes = unsafe UnsafeMutableBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        var output = unsafe OutputSpan(buffer: bytes, initializedCount: 0)
        fill(&output)
        let filled = unsafe output.finalize(for: bytes)
        precondition(filled == count, "\(filled) bytes of \(count)")
    }

    deinit {
        // Unlike an ordinary store, this one is not optimized away as dead.
        unsafe explicit_bzero(base, count)
        unsafe base.deallocate()
    }

    /// Calls `body` with the bytes.
    func withBytes<Value: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bytes = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        defer { withExtendedLifetime(self) {} }
        // The memory lives as long as this object, and is not written to.
        return try body(unsafe Span(_unsafeElements: bytes))
    }

    /// Returns whether the bytes are equal, in constant time.
    func isEqual(to other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        return withBytes { own in
            other.withBytes { other in
                var difference: UInt8 = 0
                for index in own.indices { difference |= own[index] ^ other[index] }
                return difference == 0
            }
        }
    }
}
