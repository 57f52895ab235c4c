import Glibc

/// Bytes that nothing shows, and that are overwritten when the last who has them lets go.
@safe
final class SecretBytes: @unchecked Sendable {
    // Sendable by hand: the memory is written in the initializer, and never again before the end of its life.
    let count: Int
    private let base: UnsafeMutableRawPointer

    /// `count` bytes that `fill` writes.
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
        // Unlike any store of Swift's, this one is not left out because nobody reads it.
        unsafe explicit_bzero(base, count)
        unsafe base.deallocate()
    }

    /// Calls `body` with the bytes.
    func withBytes<Value: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bytes = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        defer { withExtendedLifetime(self) {} }
        // The memory lives as long as this object, and nobody writes to it.
        return try body(unsafe Span(_unsafeElements: bytes))
    }

    /// Whether both are the same bytes, in a time that does not tell where they differ.
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
