import ArgumentParser
import Foundation
import Rill
import RillCore
import RillFiles

/// A list of jobs, one per line, for `rill transcode --jobs`.
///
///     # INPUT   OUTPUT         options of rill transcode
///     talk.mkv  talk.webm      --codec vp9 --segments auto
///     'my clip.mp4' clip.webm  --ladder
enum JobList {
    /// The size limit of a list, enough for a hundred thousand jobs.
    private static let byteLimit = 16 << 20

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - common: the options on the command line, which apply to every job.
    /// - Returns: the plan of the batch.
    /// - Throws: ``BatchRefusal``, which names each bad line.
    static func plan(path: String, common: CommonWords) throws -> BatchPlan {
        let jobs = try jobs(of: text(of: path), path: path, common: common)
        return try BatchPlan(jobs, manifestPath: path + ".done")
    }

    private static func text(of path: String) throws -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw BatchRefusal(
                problems: [.init(place: path, reason: "no such list, or it cannot be read")],
                isUnreadable: true)
        }
        let data = try file.read(upToCount: byteLimit + 1) ?? Data()
        guard data.count <= byteLimit else {
            throw BatchRefusal(problems: [.init(place: path, reason: "is not a list of jobs: it exceeds 16 MiB")])
        }
        return [UInt8](data)
    }

    /// Parses the text of a list.
    static func jobs(of text: [UInt8], path: String, common: CommonWords) throws(BatchRefusal) -> [BatchJob] {
        let folder = OutputFile.folder(of: path)
        var jobs: [BatchJob] = []
        var problems: [BatchRefusal.Problem] = []
        for (index, bytes) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let place = "\(path):\(index + 1)"
            do {
                guard let job = try parsedJob(of: bytes, common, folder) else { continue }
                jobs.append(BatchJob(name: place, job: job))
            } catch {
                problems.append(.init(place: place, reason: JobLine.reason(for: error)))
            }
        }
        if jobs.isEmpty, problems.isEmpty { problems = [.init(place: path, reason: "contains no job")] }
        guard problems.isEmpty else { throw BatchRefusal(problems: problems) }
        return jobs
    }

    private static func parsedJob(
        of bytes: ArraySlice<UInt8>, _ common: CommonWords, _ folder: String
    ) throws -> TranscodeJob? {
        var bytes = bytes
        if bytes.last == 0x0D { bytes.removeLast() }
        // A byte order mark, as editors of Windows put it before the first line.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let line = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw ValidationError("the line is not valid UTF-8")
        }
        let words = try ShellWords.split(line)
        guard !words.isEmpty else { return nil }
        let parsed = try JobLine.parse(common.words(before: words))
        var files = parsed.files
        func resolved(_ path: String) -> String { path.hasPrefix("/") || folder == "." ? path : "\(folder)/\(path)" }
        files.low = files.low.map(resolved)
        files.pictures = files.pictures.map(resolved)
        files.lowPictures = files.lowPictures.map(resolved)
        files.thumbnails = files.thumbnails.map(resolved)
        return TranscodeJob(
            input: resolved(parsed.input), output: resolved(parsed.output), files: files, options: parsed.options)
    }
}

/// The arguments of one job.
struct JobLine: ParsableArguments {
    @Argument var input: String
    @Argument var output: String
    @OptionGroup var files: TranscodeFiles
    @OptionGroup var options: TranscodeOptions

    func validate() throws {
        guard input != "-", ![output, files.low, files.pictures, files.lowPictures].contains("-") else {
            throw ValidationError("a job cannot use -, standard input or output")
        }
        try files.validate(input, output, options)
        if [.i420, .nv12].contains(VideoFileFormat(path: input)), options.clipOptions.rawSize == nil {
            throw ValidationError("\(input): raw video does not store its size; add --raw-size WIDTHxHEIGHT")
        }
    }

    /// The reason why a line is wrong, as one line.
    static func reason(for error: any Error) -> String {
        if exitCode(for: error).isSuccess { return "--help and --version are not options of a job" }
        let message = (error as? ShellWords.Failure)?.description ?? message(for: error)
        return message.split(separator: "\n").first.map(String.init) ?? message
    }
}

/// The options on the command line that apply to every job.
struct CommonWords: Sendable {
    private let words: [String]

    /// Takes the validated words after `rill transcode`, without the options of the batch.
    init(_ commandLine: some Collection<String>) {
        words = Self.removing([("--jobs", true), ("--resume", false), ("--json", false)], from: Array(commandLine))
    }

    /// Groups of options that the parser treats as exclusive; here the last one wins.
    private static let rivals: [[(name: String, hasValue: Bool)]] = [
        [("--realtime", false), ("--good", false)],
        [("--bitrate", true), ("--quality", true), ("--crf", true)],
    ]

    /// These words followed by a line's, which override them.
    func words(before line: [String]) -> [String] {
        var words = words
        for group in Self.rivals where group.contains(where: { Self.holds($0.name, line) }) {
            words = Self.removing(group, from: words)
        }
        return words + line
    }

    private static func holds(_ name: String, _ words: [String]) -> Bool {
        words.contains { $0 == name || $0.hasPrefix(name + "=") }
    }

    private static func removing(_ options: [(name: String, hasValue: Bool)], from words: [String]) -> [String] {
        var kept: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard let option = options.first(where: { word == $0.name || word.hasPrefix($0.name + "=") }) else {
                kept.append(word)
                continue
            }
            if option.hasValue, word == option.name { _ = rest.popFirst() }
        }
        return kept
    }
}
