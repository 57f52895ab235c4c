import Foundation
import Glibc
import Rill
import RillCore
import RillFiles

/// Standard output, for results. A full disk is an error, as for any other file. A closed pipe ends the process by
/// SIGPIPE.
enum StandardOutput {
    /// The name in errors, here and when frames are written to it.
    private static let name = "standard output"

    /// Whether an error means that the reader has closed the pipe, as in `rill transcode clip.mp4 - | head`.
    static func isUnread(_ error: FileError) -> Bool {
        if case .writeFailed(name, _, EPIPE) = error { true } else { false }
    }

    /// Ends the process by SIGPIPE, without a message, even if the parent process has set SIGPIPE to be ignored.
    static func endUnread() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }

    /// Writes a line.
    ///
    /// - Throws: `writeFailed`.
    static func print(_ line: String) throws(FileError) { try write(line + "\n") }

    /// Writes `text` unchanged.
    ///
    /// - Throws: `writeFailed`.
    static func write(_ text: String) throws(FileError) {
        var rest = Array(text.utf8)
        var position = 0
        while !rest.isEmpty {
            let count = unsafe Glibc.write(STDOUT_FILENO, rest, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .writeFailed(path: name, position: position, code: errno) }
            rest.removeFirst(count)
            position += count
        }
    }

    /// Closes standard output, so that a reader sees its end. Later output is discarded.
    static func end() {
        let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, STDOUT_FILENO)
        close(nowhere)
    }
}

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

/// Prints one JSON object on standard output, with sorted keys, so that equal results are equal bytes.
enum JSONOutput {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StandardOutput.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

/// One JSON object with the keys of two: a report, and what is added to it.
struct JoinedObject<First: Encodable, Second: Encodable>: Encodable {
    let first: First
    let second: Second

    func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }
}
