import Glibc

/// A file that gets its name only when it is complete. Everything that writes a file for a user uses it.
///
/// ```swift
/// let file = OutputFile(path: "out.ivf")
/// let writer = try IVFWriter(path: file.partPath, name: file.path, codec: .vp8, resolution: .vga)
/// …
/// try writer.finish()
/// try file.commit()
/// ```
///
/// Until ``commit()`` the bytes are in a temporary file beside it, `.out.ivf.part`. A process that is killed leaves
/// only that file behind, and the next run overwrites it. An existing file stays unchanged until then.
///
/// Anything but a regular file (`-`, a pipe, `/dev/null`) is written directly. One owner, one thread at a time.
public final class OutputFile {
    /// The path of the complete file.
    public let path: String
    /// The path of the temporary file. It is in the same folder, so that renaming is one step.
    public let partPath: String
    /// The final path, with symbolic links resolved.
    private let finalPath: String
    private var isOpen = true

    /// Plans a file. Nothing is opened or created.
    public init(path: String) {
        self.path = path
        let target = path == "-" ? nil : OutputFile.regularTarget(of: path)
        finalPath = target ?? path
        partPath = target.map { "\(OutputFile.folder(of: $0))/.\(OutputFile.name(of: $0)).part" } ?? path
    }

    deinit { discard() }

    /// Whether the file is written under a temporary name.
    public var isPart: Bool { partPath != path }

    /// Gives the file its name in one step: other processes see either the old or the new file, complete.
    ///
    /// The writer must have finished before. Nothing waits for the disk: this protects the file against a killed
    /// process, not against a power failure.
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

    /// Keeps the temporary file: for what cannot be created again, such as a recording that ended with a full disk.
    public func keepTemporary() { isOpen = false }

    /// Removes the temporary file. A committed file stays.
    public func discard() {
        guard isOpen else { return }
        isOpen = false
        if isPart { unsafe unlink(partPath) }
    }

    /// Writes a whole file at once.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - path: the file.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`, `renameFailed`; no new file then appears at `path`.
    public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let file = OutputFile(path: path)
        var output = try ByteOutput(path: file.partPath, name: path)
        try output.write(bytes.span)
        try output.finish()
        try file.commit()
    }

    /// Returns the folder of a file: `.` for a bare name.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }

    /// Resolves symbolic links, also to a file that does not exist yet. Returns `nil` if the path leads to something
    /// other than a regular file.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - links: how many more links to follow; 40 is Linux's limit (path_resolution(7)).
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

    /// Returns the target of a symbolic link, or `nil` if it is not one.
    private static func linkTarget(of path: String) -> String? {
        // The system writes no more than there is room for, without a terminating zero.
        var text = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink(path, &text, text.count - 1)
        return count > 0 ? String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
