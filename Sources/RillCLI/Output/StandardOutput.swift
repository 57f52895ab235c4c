import Glibc
import Rill
import RillCore
import RillFiles

/// Standard output, for results. A full disk behind it is an error, as it is for any other file; who reads only the beginning
/// through a pipe ends the process, as pipes do.
enum StandardOutput {
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
            guard count > 0 else { throw .writeFailed(path: "standard output", position: position, code: errno) }
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
