import Glibc

/// Counts the instructions of a command with valgrind: they repeat to a ten-thousandth where seconds scatter by tens of
/// percent.
struct Callgrind {
    private let valgrind: String
    private let strip: String?
    private let folder: BenchFolder
    private let own: [String]
    /// Copies of our own programs without debug information, on which callgrind 3.19 gives up.
    private var stripped: [String: String] = [:]

    /// `nil` where valgrind is not installed.
    ///
    /// - Parameter own: programs of ours, which have debug information.
    init?(in folder: BenchFolder, own: [String]) {
        guard let valgrind = Tool.path(of: "valgrind") else { return nil }
        self.valgrind = valgrind
        self.strip = Tool.path(of: "strip")
        self.folder = folder
        self.own = own
    }

    private static let filePrefix = "callgrind."

    /// The command as it is run to be counted.
    mutating func counted(_ invocation: Invocation) throws -> Invocation {
        var words = invocation.words
        if own.contains(words[0]) { words[0] = try withoutDebugInformation(words[0]) }
        return Invocation(
            words: [
                valgrind, "--quiet", "--tool=callgrind", "--trace-children=yes",
                "--callgrind-out-file=\(folder.path(Callgrind.filePrefix + "%p"))",
            ] + words, environment: invocation.environment)
    }

    /// What the runs since the last call executed, their children included; their files are gone then.
    func takeSum() throws(BenchError) -> Int {
        var sum = 0
        for name in folder.names(beginning: Callgrind.filePrefix) {
            let path = folder.path(name)
            guard let part = Callgrind.sum(in: try TextFile.read(path)) else { throw .noSum(path: path) }
            sum += part
            unsafe unlink(path)
        }
        return sum
    }

    /// The instructions that a file of callgrind's sums up to: the last number wins, since a program that forks writes
    /// `summary:` and `totals:` both.
    static func sum(in text: String) -> Int? {
        var sum: Int?
        for line in text.split(separator: "\n") where line.hasPrefix("summary:") || line.hasPrefix("totals:") {
            guard let word = line.split(separator: " ").dropFirst().first, let count = Int(word) else { return nil }
            sum = count
        }
        return sum
    }

    private mutating func withoutDebugInformation(_ path: String) throws -> String {
        guard let strip else { return path }
        if let copy = stripped[path] { return copy }
        let copy = folder.path("stripped-\(stripped.count)")
        _ = try folder.start(Invocation(words: [strip, "--strip-debug", "-o", copy, path])).wait(limit: 120)
        stripped[path] = copy
        return copy
    }
}
