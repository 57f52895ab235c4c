import Glibc

/// Reads files that fit into memory.
enum CascadeFile {
    /// The cascades of OpenCV have 0.3 to 2.7 million bytes.
    static let greatestByteCount = 16 << 20

    /// Returns the bytes of a file.
    static func bytes(of path: String) throws(FaceCascadeError) -> [UInt8] {
        // The path lives as long as the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .notFound(path: path) : .unreadable(path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var isAtEnd = false
        while !isAtEnd {
            guard bytes.count <= greatestByteCount else { throw .tooLarge(path: path, limit: greatestByteCount) }
            var code: Int32 = 0
            // The block is filled as far as `read` says.
            let block = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 18) { memory, count in
                let result = unsafe read(descriptor, memory.baseAddress, memory.count)
                if result < 0 { code = errno }
                count = max(0, result)
            }
            guard code == 0 || code == EINTR else { throw .unreadable(path: path, code: code) }
            isAtEnd = block.isEmpty && code == 0
            bytes += block
        }
        return bytes
    }
}
