import Foundation
import Glibc
import Rill
import RillFiles
import RillSecurity

/// A file with a key: base64 of the key and its salt, whose length says the suite.
enum KeyFile {
    /// Reads the key of a file.
    ///
    /// - Throws: ``CommandError`` of `unreadableInput`; nothing of the key is in it.
    static func read(_ path: String) throws -> SRTPKey {
        // Of a folder Foundation says "Error Domain=NSCocoaErrorDomain Code=256": these words say more.
        guard let data = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 4096) else {
            throw CommandError("\(path): there is no such key file, or it cannot be read or is empty", .unreadableInput)
        }
        let text = String(decoding: data, as: UTF8.self)
        do { return try SRTPKey(base64: text) } catch { throw CommandError("\(path): \(error)", .unreadableInput) }
    }
}

/// Files that hold a secret: their owner alone can read them.
enum SecretFile {
    /// Writes a new file.
    ///
    /// - Parameter refusal: what is said where a file is there already.
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

    /// Writes a file in the place of one that may be there: never does anybody else see it by its name.
    static func replace(_ path: String, with text: String) throws {
        let file = OutputFile(path: path)
        // One that was left behind by a run that was killed, with whichever rights it has.
        if file.isPart { _ = unsafe unlink(file.partPath) }
        guard file.isPart else { return try OutputFile.write(Array(text.utf8), to: path) }
        try write(text, to: file.partPath, refusal: "somebody else writes it at this moment")
        try file.commit()
    }
}
