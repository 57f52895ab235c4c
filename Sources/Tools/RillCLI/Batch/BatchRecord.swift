import ArgumentParser
import Rill
import RillCore
import RillFiles

/// The record of a finished job in a manifest: enough to decide later whether the job would give the same result.
struct BatchRecord: Codable, Equatable, Sendable {
    /// The path and size of a file.
    struct File: Codable, Equatable, Sendable {
        var path: String
        var bytes: Int
    }

    /// The input before it was opened.
    var input: File
    /// The modification time of the input, in nanoseconds since 1970.
    var inputModified: Int64
    /// A checksum of all options and the version of `rill`.
    var options: String
    /// The path of the job's output.
    var output: String
    /// All written files.
    var files: [File]
    var summary: TranscodeSummary
    /// The reason why only part of the input was transcoded; `nil` if all was.
    var partialReason: String?

    /// A job and the present state of its input. There is none if the input is not a regular file (an image sequence):
    /// such a job is never skipped.
    struct Key: Equatable, Sendable {
        var input: File
        var inputModified: Int64
        var options: String
        var output: String

        init?(_ job: TranscodeJob) {
            let path = RealPath(job.input).text
            guard let status = FileStatus(path: path), status.kind == .file else { return nil }
            input = File(path: path, bytes: status.byteCount)
            inputModified = status.modified
            options = job.optionsChecksum
            output = RealPath(job.output).text
        }
    }

    /// Creates the record of a job that has just finished.
    ///
    /// - Parameters:
    ///   - key: the key, taken before the job started.
    ///   - outcome: the outcome of the job.
    /// - Throws: `notFound` if a written file is missing.
    init(_ key: Key, _ outcome: TranscodeOutcome) throws(FileError) {
        (input, inputModified, options, output) = (key.input, key.inputModified, key.options, key.output)
        summary = outcome.summary
        partialReason = outcome.partialReason
        files = []
        for path in outcome.files {
            let real = RealPath(path).text
            guard let bytes = FileStatus(path: real)?.byteCount else { throw .notFound(path: path) }
            files.append(File(path: real, bytes: bytes))
        }
    }

    /// Whether it is the record of that job, and all its files still exist with the same sizes.
    func stands(for key: Key) -> Bool {
        input == key.input && inputModified == key.inputModified && options == key.options && output == key.output
            && files.allSatisfy { FileStatus(path: $0.path)?.byteCount == $0.bytes }
    }
}

extension TranscodeJob {
    /// A checksum of the parsed options. `--parallel` is excluded, because it does not change the output.
    fileprivate var optionsChecksum: String {
        var options = options
        options.parallel = nil
        // `dump` prints all stored properties, so that no option can be forgotten.
        var text = Version.text
        dump(files, to: &text)
        dump(options, to: &text)
        // FNV-1a, 64 bits.
        let sum = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(sum, radix: 16)
    }
}
