import Glibc
import Rill

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

    init(_ path: String) {
        if let real = RealPath.resolved(path) {
            text = real
            return
        }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let folder = OutputFile.folder(of: path)
        // Where the folder is not there either, nothing can be told but by how it is spelled.
        text = "\(RealPath.resolved(folder) ?? folder)/\(name)"
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
