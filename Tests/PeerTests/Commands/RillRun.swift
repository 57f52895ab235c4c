import Foundation
import Rill
import RillSecurity
import RillTestSupport

/// Runs of the command that was built beside the tests.
enum RillRun {
    /// Starts it, to run beside the test.
    static func start(_ arguments: String...) throws -> RunningProgram { try start(arguments) }

    static func start(_ arguments: [String]) throws -> RunningProgram {
        try Program(builtAs: "rill").start(arguments, limit: 120)
    }

    /// A new key in a file, made by the command too.
    static func key(_ suite: String, in folder: TemporaryFolder) async throws -> (path: String, key: SRTPKey) {
        let path = folder.path("stream.key")
        let outcome = try await start("key", path, "--suite", suite).finished()
        guard outcome.status == 0 else { throw TestFailure(outcome.errors) }
        return (path, try SRTPKey(base64: String(decoding: try read(path), as: UTF8.self)))
    }

    /// What it prints with `--json`.
    struct Report: Decodable {
        var statistics: CallStatistics

        var participant: CallStatistics.Participant { statistics.participants[0] }
        var received: ReceiveStatistics { participant.shown[0].received }

        init(_ outcome: RunningProgram.Outcome) throws {
            guard outcome.status == 0 else { throw TestFailure("exit code \(outcome.status): \(outcome.errors)") }
            self = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
        }
    }
}

extension RunningProgram {
    /// The line that begins so, as soon as it is said.
    func said(_ beginning: String) async throws -> String {
        for _ in 0..<1000 {
            // The last one may not be whole yet.
            let lines = errorsSoFar.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix(beginning) }) { return String(line) }
            if hasEnded { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("no line with \"\(beginning)\": \(errorsSoFar)")
    }
}
