import ArgumentParser
import RillCore

/// Refuses outputs that would overwrite each other or the input: opening a file for writing empties it.
///
/// Two paths are the same file if they have the same device and inode, or, for a file that does not exist, the same
/// canonical path.
func requireDistinct(input: String?, outputs: [String?]) throws {
    var taken = [input].compactMap { $0 }.map { (path: $0, identity: FileIdentity($0)) }
    for case .some(let path) in outputs where path != "-" {
        let identity = FileIdentity(path)
        if let other = taken.first(where: { $0.path == path || ($0.identity != nil && $0.identity == identity) }) {
            throw ValidationError("\(path) and \(other.path) are the same file: writing one would overwrite the other")
        }
        taken.append((path, identity))
    }
}

/// The identity of a file, independent of its path.
private enum FileIdentity: Equatable {
    case existing(device: UInt, inode: UInt)
    case planned(RealPath)

    /// `nil` for what writing does not overwrite (a pipe, a terminal, /dev/null).
    init?(_ path: String) {
        guard let status = FileStatus(path: path) else {
            self = .planned(RealPath(path))
            return
        }
        guard status.kind == .file else { return nil }
        self = .existing(device: status.device, inode: status.inode)
    }
}

/// Refuses a page whose name is not one of a page.
func requirePage(_ path: String?) throws {
    if let path, !path.hasSuffix(".html") {
        throw ValidationError("\(path): the name of a page must end in .html")
    }
}

/// Refuses a time that is not positive.
func requirePositive(_ option: String, _ time: MediaDuration?) throws {
    if let time, time <= .zero { throw ValidationError("\(option) must be greater than zero") }
}
