import Glibc
import Rill
import RillCore
import RillFiles

/// What stands at a path, behind symbolic links.
enum FileKind {
    case file, folder, other

    /// `nil` where nothing is.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        default: self = .other
        }
    }
}

/// The one path of a file, by whatever path it is named; also of a file that is still to be made.
struct RealPath: Hashable, Sendable {
    let text: String

    init(_ path: String) { self.init(path, linkLimit: 40) }

    private init(_ path: String, linkLimit: Int) {
        if let real = RealPath.resolved(path) {
            text = real
        } else if linkLimit > 0, let target = RealPath.target(ofLink: path) {
            // A link to what is not there yet: whoever writes to it makes that.
            text = RealPath(target, linkLimit: linkLimit - 1).text
        } else {
            text = RealPath.spelled(path)
        }
    }

    /// Where a symbolic link leads, one step; `nil` for what is none.
    private static func target(ofLink path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            // As many bytes as it is told, none of them a zero at the end.
            unsafe readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard count > 0 else { return nil }
        let target = String(decoding: bytes[..<count], as: UTF8.self)
        return target.hasPrefix("/") ? target : "\(OutputFile.folder(of: path))/\(target)"
    }

    /// The path of what is not there: its name in the folder where it would be. That of a folder that is not there either
    /// is told by how it is spelled.
    private static func spelled(_ path: String) -> String {
        guard let name = path.split(separator: "/").last else { return path }
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
