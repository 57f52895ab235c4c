#if Server
import Foundation
import Glibc
import RillTestSupport

/// `rill serve` without media as a process of its own, on a free port. It ends with the test at the latest.
///
/// Tests speak with it by sockets that block: a server in the same process would share the few threads of tasks with
/// them.
final class ServerProcess {
    /// The port that it listens on.
    let port: UInt16
    /// What it has printed when it listened.
    let greeting: String
    private let program: RunningProgram

    /// Starts it, and waits until clients can connect.
    ///
    /// - Parameters:
    ///   - arguments: options of `serve`.
    ///   - ignoringHangup: whether `nohup` starts it.
    ///   - hasMedia: whether there are media behind it, and rooms.
    ///   - ports: of HTTP and of media; free ones for 0.
    ///   - commands: of a shell that mounts something, which only the server sees; needs root.
    init(
        _ arguments: [String] = [], ignoringHangup: Bool = false, hasMedia: Bool = false,
        ports: (http: UInt16, media: UInt16) = (0, 0), mounting commands: String? = nil
    ) throws {
        let rill = try Program(builtAs: "rill")
        let words =
            ["serve", "--http", "\(ports.http)"] + (hasMedia ? ["--media", "\(ports.media)"] : ["--without-media"])
            + arguments
        if let commands {
            let shell = ["sh", "-ec", "\(commands)\nexec \"$@\"", "sh", rill.path]
            program = try existing(Program(named: "unshare")).start(
                ["--mount", "--propagation", "private"] + shell + words)
        } else {
            program =
                ignoringHangup
                ? try existing(Program(named: "nohup")).start([rill.path] + words) : try rill.start(words)
        }
        for _ in 0..<10_000 where !program.outputSoFar.hasSuffix("\n") && !program.hasEnded { usleep(2000) }
        greeting = program.outputSoFar
        guard let digits = greeting.split(separator: ",").first?.split(separator: ":").last,
            let port = UInt16(digits.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw TestFailure("the server did not begin: \(program.errorsSoFar)") }
        self.port = port
    }

    deinit {
        // It may have ended.
        try? program.kill()
    }

    /// Sends a signal.
    func send(_ signal: Int32) throws { try program.send(signal) }

    /// Sends a signal, and waits for the end.
    ///
    /// - Returns: the exit code; 128 and the signal's number if a signal ended it.
    func end(by signal: Int32 = SIGTERM) throws -> Int32 {
        try program.send(signal)
        let outcome = try program.wait()
        log = outcome.errors
        return outcome.status
    }

    /// What it had logged when it ended.
    private(set) var log = ""

    /// The bytes of memory that it takes.
    func memory() throws -> Int { try program.load().memory }

    /// Searches its memory, while it stands still.
    func search(for pieces: [[UInt8]]) throws -> MemorySearch { try program.search(for: pieces) }

    /// Where its file system is seen.
    func root() throws -> String { try program.root() }

    /// The most bytes of memory that it had at a time since ``forgetPeak()``.
    func peak() throws -> Int { try program.peak() }

    /// Begins to measure ``peak()``.
    func forgetPeak() throws { try program.forgetPeak() }

    /// Whether it still runs.
    var isRunning: Bool { !program.hasEnded }
}

/// Runs `rill` to its end.
///
/// - Returns: its exit code, and what it printed, errors included.
func rill(_ arguments: [String]) throws -> (status: Int32, text: String) {
    let outcome = try Program(builtAs: "rill").run(arguments)
    return (outcome.status, outcome.text + outcome.errors)
}

extension TemporaryFolder {
    /// Writes a file, and returns its path.
    func write(_ text: String, as name: String) throws -> String {
        try RillTestSupport.write(Array(text.utf8), to: path(name))
        return path(name)
    }
}
#endif
