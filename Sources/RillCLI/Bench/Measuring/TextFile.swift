import Glibc

/// Small files of text: what programs print, what the system says of itself.
enum TextFile {
    /// The whole file; bytes that are no UTF-8 become U+FFFD.
    static func read(_ path: String) throws(BenchError) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fileFailed("reading", path: path, code: errno) }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            // The system writes no more than there is room for.
            let count = unsafe piece.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            text += piece.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// How long a file is.
    static func byteCount(_ path: String) throws(BenchError) -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .fileFailed("looking at", path: path, code: errno) }
        return Int(status.st_size)
    }

    /// Replaces the file by that text.
    static func write(_ bytes: [UInt8], to path: String) throws(BenchError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .fileFailed("writing", path: path, code: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            // The system reads the bytes before the call returns.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .fileFailed("writing", path: path, code: errno) }
            rest = rest.dropFirst(count)
        }
    }
}
