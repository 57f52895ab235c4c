import Foundation
import Glibc
import Rill
import RillFiles
import RillSecurity

/// A file with a key: base64 of the key and its salt. The length selects the SRTP suite.
enum KeyFile {
    /// Reads the key in a file.
    ///
    /// - Throws: ``CommandError`` of `unreadableInput`, which does not contain any part of the key.
    static func read(_ path: String) throws -> SRTPKey {
        // For a folder, Foundation's own text is "Error Domain=NSCocoaErrorDomain Code=256".
        guard let data = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 4096) else {
            throw CommandError("\(path): no such key file, or it cannot be read or is empty", .unreadableInput)
        }
        let text = String(decoding: data, as: UTF8.self)
        do { return try SRTPKey(base64: text) } catch { throw CommandError("\(path): \(error)", .unreadableInput) }
    }
}

/// Files that contain a secret, readable by their owner only.
enum SecretFile {
    /// Writes a new file.
    ///
    /// - Parameters:
    ///   - text: the content.
    ///   - path: the file, which must not exist.
    ///   - refusal: the error text if the file exists.
    /// - Throws: ``CommandError``.
    static func write(_ text: String, to path: String, refusal: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw CommandError("\(path): \(code == EEXIST ? refusal : unsafe String(cString: strerror(code)))")
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            let code = errno
            _ = unsafe unlink(path)
            throw CommandError("\(path): cannot be written: \(unsafe String(cString: strerror(code)))")
        }
    }

    /// Writes or replaces a file. At no time can another user read it.
    static func replace(_ path: String, with text: String) throws {
        let file = OutputFile(path: path)
        // Removes a part file left by a killed run, which may have other permissions.
        if file.isPart { _ = unsafe unlink(file.partPath) }
        guard file.isPart else { return try OutputFile.write(Array(text.utf8), to: path) }
        try write(text, to: file.partPath, refusal: "another process is writing it")
        try file.commit()
    }
}
