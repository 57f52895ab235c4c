#if Server
import FoundationEssentials
import Glibc

/// Files that are on stable storage once they have their names.
enum StoredFile {
    /// What stands behind the name of a file that is not whole yet.
    static let suffix = ".part"

    /// A call of the system that failed.
    struct Failure: Error {
        let path: String
        let code: Int32

        init(_ path: String) { (self.path, code) = (path, errno) }

        /// Whether there is no place.
        var isFull: Bool { code == ENOSPC || code == EDQUOT }
        /// What failed, in words.
        var text: String { "\(path): \(unsafe String(cString: strerror(code)))" }
    }

    /// Makes a folder, unless it is there.
    ///
    /// - Returns: whether it was made.
    static func makeFolder(_ path: String) throws(Failure) -> Bool {
        if unsafe mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw Failure(path) }
        return false
    }

    /// Whether a file is there.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Writes a file, and waits until it is on stable storage.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(path) }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            // The buffer is valid during the call, and the rest of it begins at `written`.
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(file, bytes.baseAddress! + written, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(path) }
            written += count
        }
        guard fsync(file) == 0 else { throw Failure(path) }
    }

    /// Gives a file its name.
    static func rename(_ path: String, to name: String) throws(Failure) {
        guard unsafe Glibc.rename(path, name) == 0 else { throw Failure(path) }
    }

    /// Waits until the names in a folder are on stable storage.
    static func synchronize(folder: String) throws(Failure) {
        let file = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(folder) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw Failure(folder) }
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) { unsafe unlink(path) }

    /// The bytes of a file; `nil` if it cannot be read, or has more than the limit.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        guard size >= 0, size <= limit, lseek(file, 0, SEEK_SET) == 0 else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                // The rest of the buffer begins at `count`.
                let read = unsafe Glibc.read(file, buffer.baseAddress! + count, size - count)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                count += read
            }
        }
        return bytes.count == size ? bytes : nil
    }

    /// How long ago a file was changed, in milliseconds; 0 if it is not there.
    static func age(_ path: String, at time: Int) -> Int {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let date = attributes[.modificationDate] as? Date
        else { return 0 }
        return time - Int(date.timeIntervalSince1970 * 1000)
    }

    /// The names of the files in a folder.
    static func names(in folder: String) -> [String] {
        guard let entries = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(entries) }
        var names: [String] = []
        while let entry = unsafe readdir(entries) {
            // The system ends the name with 0.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
#endif
