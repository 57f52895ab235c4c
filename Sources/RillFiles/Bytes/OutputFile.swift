import Glibc

/// A file that bears its name only once it is whole: how everything that writes a file for a user does it.
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

    /// Leaves what was written where it is, under the name of a part: for what cannot be made again, as a recording that
    /// ended with a full disk.
    public func keepPart() { isOpen = false }

    /// Removes what was written. A file that was committed stays.
    public func discard() {
        guard isOpen else { return }
        isOpen = false
        if isPart { unsafe unlink(partPath) }
    }

    /// Writes a whole file at once.
    ///
    /// - Throws: `notFound`, `openFailed`, `writeFailed`, `renameFailed`; no file bears the name then that did not before.
    public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let file = OutputFile(path: path)
        var output = try ByteOutput(path: file.partPath, name: path)
        try output.write(bytes.span)
        try output.finish()
        try file.commit()
    }

    /// The folder that a file is in: `.` for a bare name.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }

    /// The file behind symbolic links, there or not; `nil` where something stands that is no regular file.
    ///
    /// - Parameter links: how many more links are followed, as many as Linux does (path_resolution(7)).
    private static func regularTarget(of path: String, links: Int = 40) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            guard links > 0, let next = linkTarget(of: path) else { return path }
            return regularTarget(of: next.hasPrefix("/") ? next : "\(folder(of: path))/\(next)", links: links - 1)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// What a symbolic link says; `nil` for what is none.
    private static func linkTarget(of path: String) -> String? {
        // The system writes no more than there is room for, and no zero at the end.
        var text = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink(path, &text, text.count - 1)
        return count > 0 ? String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
