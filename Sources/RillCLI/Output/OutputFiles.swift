import Glibc
import Rill
import RillCore
import RillFiles

/// The files of one command, which bear their names all together, once all is done. Those that were not committed when this
/// goes, go too.
final class OutputFiles {
    private var files: [OutputFile] = []

    /// Plans a file.
    ///
    /// - Returns: where it is written until then.
    func part(of path: String) -> String {
        let file = OutputFile(path: path)
        files.append(file)
        return file.partPath
    }

    /// Plans a file that is written later, in whose folder a file can be made now: that it cannot must not be found out when there is
    /// something to write.
    ///
    /// - Returns: where it is written until then.
    /// - Throws: `notFound` or `openFailed`.
    func openPart(of path: String) throws(FileError) -> String {
        let part = part(of: path)
        guard part != path else { return part }
        let descriptor = unsafe open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let code = errno
            throw code == ENOENT ? .notFound(path: path) : .openFailed(path: path, code: code)
        }
        close(descriptor)
        return part
    }

    /// Finds out now that a file cannot be made, which is written as a whole later.
    ///
    /// - Throws: as ``openPart(of:)``.
    static func requirePlace(for path: String) throws(FileError) { _ = try OutputFiles().openPart(of: path) }

    /// Gives all of them their names.
    func commit() throws(FileError) {
        for file in files { try file.commit() }
    }
}
