import Foundation
import Rill
import RillCore
import RillFiles

/// The jobs of a batch that are done, each a line of JSON that is appended by one write once its outputs bear their names
/// and are on the disk. Whoever is killed leaves whole lines, and at most one torn one, which counts for nothing.
///
/// Any thread. One process at a time: it is locked.
final class BatchManifest: Sendable {
    let path: String
    private let descriptor: Int32
    /// One line is written after the other.
    private let writing = Monitor(())
    /// The newest line of each output.
    private let records: [String: BatchRecord]

    /// Opens the manifest, and makes it if it is not there.
    ///
    /// - Parameter resumes: whether what it tells is believed; else it is begun anew.
    init(path: String, resumes: Bool) throws {
        self.path = path
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let code = errno
            throw code == ENOENT ? FileError.notFound(path: path) : .openFailed(path: path, code: code)
        }
        // Without a wait, and for the whole file, which is read later. It ends with the process, however that ends.
        guard lockf(descriptor, F_TLOCK, 0) == 0 else {
            close(descriptor)
            throw CommandError("\(path) is in use: another rill does these jobs")
        }
        let text: [UInt8]
        do throws(FileError) { text = resumes ? try Self.text(in: descriptor, path) : [] } catch {
            close(descriptor)
            throw error
        }
        // What stands behind the last line break is torn, and must not become the beginning of the next line.
        let whole = text.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        guard ftruncate(descriptor, off_t(whole)) == 0 else {
            let code = errno
            close(descriptor)
            throw FileError.writeFailed(path: path, position: whole, code: code)
        }
        let lines = text[..<whole].split(separator: 0x0A)
        let decoder = JSONDecoder()
        // A line that tells nothing, of another version or damaged, is as if it were not there: its job is done again.
        let known = lines.compactMap { try? decoder.decode(BatchRecord.self, from: Data($0)) }
        records = Dictionary(known.map { ($0.output, $0) }) { $1 }
    }

    deinit { close(descriptor) }

    /// All that is in it. By the locked descriptor: to close another one of the same file would end the lock.
    private static func text(in descriptor: Int32, _ path: String) throws(FileError) -> [UInt8] {
        var (text, block): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = unsafe pread(descriptor, &block, block.count, off_t(text.count))
            guard count >= 0 else { throw .readFailed(path: path, position: text.count, code: errno) }
            guard count > 0 else { return text }
            text += block[..<count]
        }
    }

    /// What is known of a job that was done just so, with all it has made still there.
    func record(of job: TranscodeJob) -> BatchRecord? {
        guard let key = BatchRecord.Key(job), let record = records[key.output], record.stands(for: key) else {
            return nil
        }
        return record
    }

    /// Notes that a job is done. Its files, and their names, are on the disk before the line is.
    func append(_ record: BatchRecord) throws {
        for file in record.files { try Self.sync(file.path) }
        for folder in Set(record.files.map { OutputFile.folder(of: $0.path) }) { try Self.sync(folder) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = [UInt8](try encoder.encode(record)) + [0x0A]
        try writing.withLock { _ in
            let written = unsafe write(descriptor, line, line.count)
            guard written == line.count, fsync(descriptor) == 0 else {
                throw FileError.writeFailed(path: path, position: max(0, written), code: errno)
            }
        }
    }

    private static func sync(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .openFailed(path: path, code: errno) }
        defer { close(descriptor) }
        // Some file systems cannot, and say EINVAL: they have nothing to wait for.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .writeFailed(path: path, position: 0, code: errno)
        }
    }
}
