import Foundation
import FoundationNetworking
import RillTestSupport

/// `rill serve` beside a test. It can be killed, and started again on the same ports.
final class StreamServer {
    /// The port of HTTP.
    private(set) var port = 0
    private let mediaPort: UInt16
    /// How long it may run, in seconds.
    private let limit: Int
    /// Options of the command beside those of the ports.
    private let options: [String]
    private var program: RunningProgram?

    /// Starts it on free ports, and waits until clients can connect.
    init(limit: Int = 300, options: [String] = []) async throws {
        (self.limit, self.options) = (limit, options)
        mediaPort = try PeerEnd.freePort()
        try await start()
    }

    /// Starts it again, on the ports that it had, and waits until clients can connect.
    func start() async throws {
        let program = try Program(builtAs: "rill").start(
            ["serve", "--http", "\(port)", "--media", "\(mediaPort)"] + options, limit: limit)
        self.program = program
        for _ in 0..<2000 where !program.outputSoFar.contains("\n") && !program.hasEnded {
            try await Task.sleep(for: .milliseconds(5))
        }
        // Listening on http://127.0.0.1:8080, for this machine only …
        let address = program.outputSoFar.split(separator: ",").first?.split(separator: ":").last
        guard let port = address.flatMap({ Int($0) }) else { throw TestFailure("no server: \(program.errorsSoFar)") }
        self.port = port
    }

    /// Kills it at once, or asks it to end; and waits for that.
    ///
    /// - Returns: the exit code; 137 for a program that was killed.
    func end(killed: Bool) async throws -> Int32 {
        guard let program else { throw TestFailure("the server does not run") }
        try killed ? program.kill() : program.terminate()
        return try await program.finished().status
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    /// A stream as the server lists it.
    struct Listed: Decodable {
        var name: String
        var layers: [Layer]

        struct Layer: Decodable {
            var name: String
            var width: Int
            var height: Int
            var framesPerSecond: Double
        }
    }

    /// The streams that are published now.
    func streams() async throws -> [Listed] {
        guard let url = URL(string: url("streams")) else { return [] }
        return try JSONDecoder().decode([Listed].self, from: try await URLSession.shared.data(from: url).0)
    }

    /// Whether pictures of a stream arrive, in that many layers.
    func receives(_ name: String, layers: Int = 2) async throws -> Bool {
        receives(name, in: try await streams(), layers: layers)
    }

    func receives(_ name: String, in streams: [Listed], layers: Int = 2) -> Bool {
        let stream = streams.first { $0.name == name }
        return stream.map { $0.layers.count { $0.width > 0 } >= layers } ?? false
    }

    /// What it takes at present.
    func load() throws -> ProcessLoad {
        guard let program else { throw TestFailure("the server does not run") }
        return try program.load()
    }

    /// What it has logged.
    var log: String { program?.errorsSoFar ?? "" }
}

/// Waits for something to happen.
///
/// - Parameter what: what is waited for, and what is known when it does not happen.
/// - Returns: how long it took.
@discardableResult
func waitUntil(
    _ what: @autoclosure () throws -> String, within seconds: Double = 30, _ condition: () async throws -> Bool
) async throws -> Duration {
    let start = ContinuousClock.now
    while try await !condition() {
        guard ContinuousClock.now - start < .seconds(seconds) else {
            throw TestFailure("not within \(seconds) s: \(try what())")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
    return ContinuousClock.now - start
}
