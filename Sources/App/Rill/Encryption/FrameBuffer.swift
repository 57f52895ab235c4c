import RillCore

/// The bytes of one frame, in memory that is used again for the next. One owner, one thread at a time.
package final class FrameBuffer {
    private var storage: [UInt8] = []
    private var count = 0

    package init() {}

    /// Lets `body` write at most `capacity` bytes in place of the former ones. It allocates only for the largest yet.
    package func fill(_ capacity: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        // Sizes of frames vary: with room for half as many bytes again it is seldom the largest.
        if storage.count < capacity { storage = [UInt8](repeating: 0, count: capacity + capacity / 2) }
        unsafe storage.withUnsafeMutableBufferPointer { buffer in
            // The memory is initialized, and is written through the span only.
            let room = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<capacity])
            var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
            body(&output)
            count = unsafe output.finalize(for: room)
        }
    }

    /// Calls `body` with the bytes that were written last.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let storage = storage
        return try body(storage.span.extracting(first: count))
    }
}
