import Glibc
public import RillFiles

/// A file that bears its name only once it is whole.
///
///     let file = OutputFile(path: "out.ivf")
///     let writer = try IVFWriter(path: file.partPath, name: file.path, codec: .vp8, resolution: .vga)
///     …
///     try writer.finish()
///     try file.commit()
///
/// Until ``commit()`` the bytes lie beside it, in `.out.ivf.part`. Whoever is killed leaves that file behind and nothing
/// else, and the next run writes over it. A file that was there before stays as it was until then.
///
/// What is no regular file (`-`, a pipe, `/dev/null`) is written to directly. One owner, one thread at a time.
public final class OutputFile {
    /// The name that the whole file bears.
    public let path: String
    /// Where it is written meanwhile: in the same folder, so that the change of names is one step.
    public let partPath: String
    /// Where it stands in the end: behind symbolic links.
    private let finalPath: String
    private var isOpen = true

    /// Plans a file; nothing is opened or made.
    public init(path: String) {
        self.path = path
        let target = path == "-" ? nil : OutputFile.regularTarget(of: path)
        finalPath = target ?? path
        partPath = target.map { "\(OutputFile.folder(of: $0))/.\(OutputFile.name(of: $0)).part" } ?? path
    }

    deinit { discard() }

    /// Whether the file has a name of its own until it is whole.
    public var isPart: Bool { partPath != path }

    /// Gives the file its name, in one step: whoever looks sees the old file or the new one, whole. The writer has
    /// finished before. Nothing waits for the disk: it is the name that is safe from a kill, not the bytes from a power cut.
    ///
    /// - Throws: `renameFailed`.
    public func commit() throws(FileError) {
        guard isOpen else { return }
        isOpen = false
        guard isPart else { return }
        guard unsafe rename(partPath, finalPath) == 0 else {
            let code = errno
            unsafe unlink(partPath)
            throw .renameFailed(path: path, code: code)
        }
    }

    /// Removes what was written. A file that was committed stays.
    public func discard() {
        guard isOpen else { return }
        isOpen = false
        if isPart { unsafe unlink(partPath) }
    }

    /// The folder that a file is in: `.` for a bare name.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }

    /// The file behind symbolic links; `nil` where something stands that is no regular file.
    private static func regularTarget(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return path }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
