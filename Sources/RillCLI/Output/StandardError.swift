import Glibc

/// Standard error, for what is not a result: progress, notices, measurements.
enum StandardError {
    /// Writes `text` as it is.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)
        while !bytes.isEmpty {
            let written = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
            // Where nobody reads our notices, nobody misses them.
            guard written > 0 else { return }
            bytes.removeFirst(written)
        }
    }

    /// Writes a line.
    static func print(_ line: String) { write(line + "\n") }
}
