import Glibc

/// Standard error, for output that is not a result: progress, notices, measurements.
enum StandardError {
    /// Writes `text` unchanged.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)
        while !bytes.isEmpty {
            let written = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
            // Errors are ignored: a notice without a reader is not missed.
            guard written > 0 else { return }
            bytes.removeFirst(written)
        }
    }

    /// Writes a line.
    static func print(_ line: String) { write(line + "\n") }
}
