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

    /// Gives all of them their names.
    func commit() throws(FileError) {
        for file in files { try file.commit() }
    }
}
