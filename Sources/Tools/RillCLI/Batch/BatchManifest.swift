import Foundation
import Rill
import RillCore
import RillFiles

/// The finished jobs of a batch, each a line of JSON. A line is appended by one write when the job's outputs have their
/// names and are on disk. A killed process leaves complete lines, and at most one partial line, which is ignored.
///
/// Any thread. One process at a time: it is locked.
final class BatchManifest: Sendable {
    let path: String
    private let descriptor: Int32
    /// Serializes the writing of lines.
    private let writing = Monitor(())
    /// The newest record of each output.
    private let records: [String: BatchRecord]

    /// Opens the manifest, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - resumes: whether its records are used; otherwise the manifest is emptied.
    /// - Throws: ``FileError``; ``CommandError`` if another process has locked the manifest.
    init(path: String, resumes: Bool) throws {
        self.path = path
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let code = errno
            throw code == ENOENT ? FileError.notFound(path: path) : .openFailed(path: path, code: code)
        }
        // Locks the whole file, without waiting. The lock ends with the process, however it ends.
        guard lockf(descriptor, F_TLOCK, 0) == 0 else {
            close(descriptor)
            throw CommandError("\(path) is in use: another rill runs these jobs")
        }
        let text: [UInt8]
        do throws(FileError) { text = resumes ? try Self.text(in: descriptor, path) : [] } catch {
            close(descriptor)
            throw error
        }
        // A partial line after the last line break is removed, so that the next line starts on its own.
        let whole = text.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        guard ftruncate(descriptor, off_t(whole)) == 0 else {
            let code = errno
            close(descriptor)
            throw FileError.writeFailed(path: path, position: whole, code: code)
        }
        let lines = text[..<whole].split(separator: 0x0A)
        let decoder = JSONDecoder()
        // A line that cannot be decoded, of another version or damaged, is ignored: its job is run again.
        let known = lines.compactMap { try? decoder.decode(BatchRecord.self, from: Data($0)) }
        records = Dictionary(known.map { ($0.output, $0) }) { $1 }
    }

    deinit { close(descriptor) }

    /// The content, read through the locked descriptor: closing another descriptor of the file would release the lock.
    private static func text(in descriptor: Int32, _ path: String) throws(FileError) -> [UInt8] {
        var (text, block): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = unsafe pread(descriptor, &block, block.count, off_t(text.count))
            guard count >= 0 else { throw .readFailed(path: path, position: text.count, code: errno) }
            guard count > 0 else { return text }
            text += block[..<count]
        }
    }

    /// The record of a job that was done with the same input and options, and whose outputs still exist.
    func record(of job: TranscodeJob) -> BatchRecord? {
        guard let key = BatchRecord.Key(job), let record = records[key.output], record.stands(for: key) else {
            return nil
        }
        return record
    }

    /// Records that a job is done. Its files and their names are synced to disk before the line.
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
        // Some file systems do not support it and return EINVAL; that is not an error.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .writeFailed(path: path, position: 0, code: errno)
        }
    }
}
