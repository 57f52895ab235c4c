import Glibc
import Rill
import RillCore
import RillFiles

/// What the system knows of the file at a path, after following symbolic links.
struct FileStatus {
    enum Kind { case file, folder, other }

    let kind: Kind
    let byteCount: Int
    /// The modification time, in nanoseconds since 1970.
    let modified: Int64
    let device, inode: UInt

    /// `nil` if there is no file.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        byteCount = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
    }
}

/// The canonical path of a file, which need not exist yet.
struct RealPath: Hashable, Sendable {
    let text: String

    init(_ path: String) { self.init(path, linkLimit: 40) }

    private init(_ path: String, linkLimit: Int) {
        if let real = RealPath.resolved(path) {
            text = real
        } else if linkLimit > 0, let target = RealPath.target(ofLink: path) {
            // A link to a file that does not exist: writing to the link creates that file.
            text = RealPath(target, linkLimit: linkLimit - 1).text
        } else {
            text = RealPath.spelled(path)
        }
    }

    /// The target of a symbolic link, followed for one step; `nil` if the path is not a link.
    private static func target(ofLink path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            // It writes at most that many bytes, without a terminating zero.
            unsafe readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard count > 0 else { return nil }
        let target = String(decoding: bytes[..<count], as: UTF8.self)
        return target.hasPrefix("/") ? target : "\(OutputFile.folder(of: path))/\(target)"
    }

    /// The path of a file that does not exist: its name in the canonical path of its folder. A folder that does not
    /// exist is resolved by its spelling.
    private static func spelled(_ path: String) -> String {
        // The working folder itself may be gone.
        guard path != ".", let name = path.split(separator: "/").last else { return path }
        let end = path[..<name.startIndex].lastIndex { $0 != "/" }
        let folder = end.map { String(path[...$0]) } ?? (path.hasPrefix("/") ? "/" : ".")
        let place = RealPath(folder).text
        switch name {
        case ".": return place
        case "..": return OutputFile.folder(of: place)
        default: return place == "/" ? "/\(name)" : "\(place)/\(name)"
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
