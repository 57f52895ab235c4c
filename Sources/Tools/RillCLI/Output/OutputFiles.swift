import Glibc
import Rill
import RillCore
import RillFiles

/// The output files of one command, which get their names together when everything is done. Files that are not
/// committed are removed at deinitialization.
final class OutputFiles {
    private var files: [OutputFile] = []

    /// Adds a file.
    ///
    /// - Returns: the path of its part file.
    func part(of path: String) -> String {
        let file = OutputFile(path: path)
        files.append(file)
        return file.partPath
    }

    /// Adds a file that is written later, and creates its part file now, so that a missing or read-only folder is
    /// reported before the work.
    ///
    /// - Returns: the path of its part file.
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

    /// Checks that a file can be created, for a file that is written later in one piece.
    ///
    /// - Throws: like ``openPart(of:)``.
    static func requirePlace(for path: String) throws(FileError) { _ = try OutputFiles().openPart(of: path) }

    /// Keeps the part files: what was sent live cannot be received again.
    ///
    /// - Parameter failure: why the recording ended.
    /// - Returns: the error to throw.
    func keepParts(after failure: any Error) -> CommandError {
        for file in files { file.keepTemporary() }
        let parts = files.filter(\.isPart).map(\.partPath).joined(separator: " and ")
        return CommandError("\(failure)\(parts.isEmpty ? "" : "; the recording until then is \(parts)")")
    }

    /// Gives all files their names.
    func commit() throws(FileError) {
        for file in files { try file.commit() }
    }
}

/// Writes the encoded frames of several layers, each layer to its own file; layers without a file are discarded.
final class LayerFiles: EncodedFrameSink {
    private let files: [StreamLayer.RID: any EncodedFrameSink]

    init(_ files: [StreamLayer.RID: any EncodedFrameSink]) {
        self.files = files
    }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
        try files[frame.layer.rid]?.consume(frame, payload: payload)
    }

    /// Finishes all files, even if one fails, and throws the first error.
    func finish() throws {
        let results = files.values.map { file in Result { try file.finish() } }
        for result in results { try result.get() }
    }
}
