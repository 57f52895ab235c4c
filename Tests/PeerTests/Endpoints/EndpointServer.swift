import Foundation
import RillTestSupport

/// The endpoint of ``EndpointScript``, which runs beside a test.
final class EndpointServer {
    let port: Int
    private let program: RunningProgram

    /// What it has seen, as of the last request.
    struct Seen: Decodable {
        var decoded: Int
        var sizes: [String]
        var posts: Int
        var deletes: Int
        var patches: Int
        var layers: [String?]
        var refused: Int
    }

    init(port: Int = 0, token: String? = nil) async throws {
        guard let python = PythonPeer.aiortc else { throw TestFailure("aiortc is not installed") }
        program = try python.start(
            ["-u", "-c", EndpointScript.text, "\(port)"] + (token.map { [$0] } ?? []), limit: 120)
        for _ in 0..<1500 where program.lines.isEmpty && !program.hasEnded {
            try await Task.sleep(for: .milliseconds(10))
        }
        struct Beginning: Decodable { var port: Int }
        guard let line = program.lines.first else { throw TestFailure("no endpoint: \(program.errorsSoFar)") }
        self.port = try JSONDecoder().decode(Beginning.self, from: Data(line.utf8)).port
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    func seen() throws -> Seen {
        guard let line = program.lines.last, program.lines.count > 1 else {
            throw TestFailure("no request: \(program.errorsSoFar)")
        }
        return try JSONDecoder().decode(Seen.self, from: Data(line.utf8))
    }

    func kill() throws { try program.kill() }
}

extension RunningProgram {
    /// The whole lines on standard output so far.
    fileprivate var lines: [Substring] {
        outputSoFar.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }
}
