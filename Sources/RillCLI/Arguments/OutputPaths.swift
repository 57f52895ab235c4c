import ArgumentParser
import Glibc

/// Refuses outputs that would destroy each other or their input: a file is emptied when it is opened for writing.
///
/// Two paths are one file when they name the same device and inode, or, where nothing is there yet, the same place.
func requireDistinct(input: String?, outputs: [String?]) throws {
    var taken = [input].compactMap { $0 }.map { (path: $0, identity: FileIdentity($0)) }
    for case .some(let path) in outputs where path != "-" {
        let identity = FileIdentity(path)
        if let other = taken.first(where: { $0.path == path || ($0.identity != nil && $0.identity == identity) }) {
            throw ValidationError("\(path) and \(other.path) are the same file: writing one would destroy the other")
        }
        taken.append((path, identity))
    }
}

/// What makes a file the same by whatever path.
private enum FileIdentity: Equatable {
    case existing(device: UInt, inode: UInt)
    case planned(RealPath)

    /// `nil` where something stands that cannot be destroyed by writing (a pipe, a terminal, /dev/null).
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            self = .planned(RealPath(path))
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        self = .existing(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }
}
