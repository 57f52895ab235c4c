import Foundation

/// Another program.
package struct Program {
    /// Where it is.
    package let path: String
    /// What it finds in its environment besides what the tests find in theirs.
    package var environment: [String: String] = [:]

    /// The program at that path; `nil` where there is none.
    package init?(path: String) {
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        self.path = path
    }

    /// The program of that name on the `PATH`; `nil` where none is installed.
    package init?(named name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let candidates = folders.map { "\($0)/\(name)" }
        guard let path = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            return nil
        }
        self.path = path
    }

    /// A program that was built beside the tests.
    package init(builtAs name: String) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        path = URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else { throw TestFailure("\(path) was not built") }
    }

    /// Starts it, to run beside the test for at most `limit` seconds.
    ///
    /// - Parameter input: the file that is its standard input.
    package func start(
        _ arguments: [String], input: String = "/dev/null", limit: Int = 600
    ) throws -> RunningProgram {
        let words = environment.isEmpty ? [path] : ["env"] + environment.map { "\($0)=\($1)" } + [path]
        return try RunningProgram(words + arguments, input: input, limit: limit)
    }

    /// Runs it to its end.
    package func run(_ arguments: [String], input: String = "/dev/null") throws -> RunningProgram.Outcome {
        try start(arguments, input: input).wait()
    }
}
