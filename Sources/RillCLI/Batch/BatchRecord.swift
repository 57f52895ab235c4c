import ArgumentParser
import Glibc
import Rill
import RillCore
import RillFiles

/// What a manifest says of a job that was done: enough to know later whether it would be done the same way again.
struct BatchRecord: Codable, Equatable, Sendable {
    /// A file as it was found.
    struct File: Codable, Equatable, Sendable {
        var path: String
        var bytes: Int
    }

    /// The input as it was before it was opened.
    var input: File
    /// Nanoseconds since 1970.
    var inputModified: Int64
    /// A checksum of all options, and of the version of `rill`.
    var options: String
    /// The job's output first, as it is called in the list; then all files that were written.
    var output: String
    var files: [File]
    var summary: TranscodeSummary
    /// Why only a part was there to be transcoded, if so.
    var partialReason: String?

    /// A job, and its input as it is now; `nil` for what is no file (a sequence of pictures), which is never known again.
    struct Key: Equatable, Sendable {
        var input: File
        var inputModified: Int64
        var options: String
        var output: String

        init?(_ job: TranscodeJob) {
            let path = RealPath(job.input).text
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            input = File(path: path, bytes: Int(status.st_size))
            inputModified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
            options = job.optionsChecksum
            output = RealPath(job.output).text
        }
    }

    /// A job that was done just now.
    ///
    /// - Parameter key: taken before it was begun.
    init(_ key: Key, _ outcome: TranscodeOutcome) throws(FileError) {
        (input, inputModified, options, output) = (key.input, key.inputModified, key.options, key.output)
        summary = outcome.summary
        partialReason = outcome.partialReason
        files = []
        for path in outcome.files {
            let real = RealPath(path).text
            guard let bytes = BatchRecord.byteCount(of: real) else { throw .notFound(path: path) }
            files.append(File(path: real, bytes: bytes))
        }
    }

    /// Whether it tells of that very job, and all that it has made is still there.
    func stands(for key: Key) -> Bool {
        input == key.input && inputModified == key.inputModified && options == key.options && output == key.output
            && files.allSatisfy { BatchRecord.byteCount(of: $0.path) == $0.bytes }
    }

    private static func byteCount(of path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

extension TranscodeJob {
    /// Equal for equal options, however they were written. The number of threads changes no byte, and is none of them.
    fileprivate var optionsChecksum: String {
        var options = options
        options.parallel = nil
        // All values as they lie in memory: no option can be forgotten here.
        var text = Version.text
        dump(files, to: &text)
        dump(options, to: &text)
        // FNV-1a, 64 bits.
        let sum = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(sum, radix: 16)
    }
}
