import Glibc
import RillCore

/// An open file, pipe or terminal. It is closed at the end of its life, unless it is one of the process's standard
/// streams.
struct Descriptor: ~Copyable {
    /// The file descriptor.
    let number: Int32
    private let isOwned: Bool

    /// Opens `path` with the flags of `open(2)`. A new file gets the permissions that the umask leaves of 0666.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - flags: the flags of `open(2)`.
    ///   - name: the file's name in errors, if it is not its path.
    static func open(_ path: String, flags: Int32, name: String? = nil) throws(FileError) -> Descriptor {
        let said = name ?? path
        let number = retryingInterrupted { unsafe Glibc.open(path, flags | O_CLOEXEC, 0o666) }
        guard number >= 0 else {
            let code = errno
            throw code == ENOENT ? .notFound(path: said) : .openFailed(path: said, code: code)
        }
        let descriptor = Descriptor(number: number, isOwned: true)
        // A folder can be opened for reading, and would only fail later with an obscure error.
        guard descriptor.status?.isFolder != true else { throw .openFailed(path: said, code: EISDIR) }
        return descriptor
    }

    /// Wraps one of the process's own streams, which stays open.
    init(standardStream number: Int32) {
        self.init(number: number, isOwned: false)
    }

    private init(number: Int32, isOwned: Bool) {
        self.number = number
        self.isOwned = isOwned
    }

    deinit {
        // A caller that needs to know whether the last bytes arrived calls `close()` first.
        if isOwned { _ = Glibc.close(number) }
    }

    /// Closes the file now. Returns `errno`, or 0. A network disk may report here that it is full.
    consuming func close() -> Int32 {
        let result = isOwned ? Glibc.close(number) : 0
        let code = errno
        discard self
        // Linux closes the file even if the call was interrupted.
        return result == 0 || code == EINTR ? 0 : code
    }

    /// The system's status of the file; `nil` if it is not available.
    var status: Status? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { return nil }
        return Status(mode: status.st_mode, byteCount: Int(status.st_size))
    }

    /// The current position; `nil` for pipes and terminals, which have none.
    var offset: Int? {
        let offset = lseek(number, 0, SEEK_CUR)
        return offset < 0 ? nil : Int(offset)
    }

    /// Whether every write appends to the file, whatever its offset.
    var isAppending: Bool {
        let flags = fcntl(number, F_GETFL)
        return flags >= 0 && flags & O_APPEND != 0
    }

    /// The needed part of `stat(2)`.
    struct Status {
        let mode: mode_t
        /// The length in bytes; only for regular files.
        let byteCount: Int

        var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
        var isFolder: Bool { mode & S_IFMT == S_IFDIR }
        /// Whether writing to it raises SIGPIPE when there is no reader.
        var isPipeOrSocket: Bool { mode & S_IFMT == S_IFIFO || mode & S_IFMT == S_IFSOCK }
    }
}
