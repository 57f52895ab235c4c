import Glibc
import Rill
import RillCore
import RillFiles

/// Standard output, for results. A full disk behind it is an error, as it is for any other file; who reads only the beginning
/// through a pipe ends the process, as pipes do.
enum StandardOutput {
    /// What errors call it, here and where frames are written to it.
    private static let name = "standard output"

    /// Whether nobody reads any more, which is no error of ours: `rill transcode clip.mp4 - | head`.
    static func isUnread(_ error: FileError) -> Bool {
        if case .writeFailed(name, _, EPIPE) = error { true } else { false }
    }

    /// Ends the process as pipes do, without a word, even if whoever started it has SIGPIPE ignored.
    static func endUnread() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }

    /// Writes a line.
    ///
    /// - Throws: `writeFailed`.
    static func print(_ line: String) throws(FileError) { try write(line + "\n") }

    /// Writes `text` as it is.
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

    /// Says that nothing more comes, so that whoever reads it to its end can go on. What is written afterwards is lost.
    static func end() {
        let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, STDOUT_FILENO)
        close(nowhere)
    }
}
