import Foundation
import Glibc

/// `memory-serve` as a process of its own, on a free port. It ends with the test at the latest.
///
/// Tests speak with it by sockets that block: a server in the same process would share the few threads of tasks with
/// them.
final class ServerProcess {
    /// The port that it listens on.
    let port: UInt16
    /// What it has printed when it listened.
    let greeting: String
    private let child: pid_t
    private let output: Int32
    private let folder: TestFolder
    private var isDone = false

    /// Starts it, and waits until clients can connect.
    ///
    /// - Parameters:
    ///   - arguments: options of `serve`.
    ///   - ignoringHangup: whether `nohup` starts it.
    init(_ arguments: [String] = [], ignoringHangup: Bool = false) throws {
        folder = try TestFolder()
        let log = folder.root + "/log"
        (child, output) = try Self.spawn(
            "memory-serve", ["serve", "--http", "0"] + arguments, log: log, ignoringHangup: ignoringHangup)
        var text = ""
        while !text.hasSuffix("\n"), let piece = Self.read(output, seconds: 20) { text += piece }
        greeting = text
        guard let digits = text.split(separator: ",").first?.split(separator: ":").last,
            let port = UInt16(digits.trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            var status: Int32 = 0
            kill(child, SIGKILL)
            unsafe waitpid(child, &status, 0)
            throw TestFailure(
                "the server did not begin: \((try? String(contentsOfFile: log, encoding: .utf8)) ?? text)")
        }
        self.port = port
    }

    deinit {
        if !isDone { _ = end(by: SIGKILL) }
        close(output)
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(child, signal) }

    /// Sends a signal, and waits for the end.
    ///
    /// - Returns: the exit code; 128 and the signal's number if a signal ended it.
    func end(by signal: Int32 = SIGTERM) -> Int32 {
        kill(child, signal)
        return Self.wait(for: child, &isDone)
    }

    /// What it has logged so far.
    var log: String { (try? String(contentsOfFile: folder.root + "/log", encoding: .utf8)) ?? "" }

    /// The bytes of memory that it takes.
    func residentByteCount() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/\(child)/statm", encoding: .utf8).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw TestFailure("statm says nothing") }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Whether it still runs.
    var isRunning: Bool {
        var end = unsafe siginfo_t()
        unsafe waitid(P_PID, id_t(child), &end, WEXITED | WNOHANG | WNOWAIT)
        return unsafe end.si_signo != SIGCHLD
    }

    /// Runs a program that was built beside the tests to its end.
    ///
    /// - Returns: its exit code, and what it printed, errors included.
    static func run(_ name: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
        let (child, output) = try spawn(name, arguments)
        defer { close(output) }
        var text = ""
        while let piece = read(output, seconds: 20) { text += piece }
        var isDone = false
        return (wait(for: child, &isDone), text)
    }

    // MARK: Processes

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - log: the file that its standard error goes to; `nil` for where its output goes.
    ///   - ignoringHangup: whether `nohup` starts it.
    /// - Returns: the process, and where its output can be read.
    private static func spawn(
        _ name: String, _ arguments: [String], log: String? = nil, ignoringHangup: Bool = false
    ) throws -> (pid_t, Int32) {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: name).path
        var pipes: [Int32] = [0, 0]
        // Closed in other children: else the end of this one would not be the end of its output.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &pipes) == 0 else { throw TestFailure("no pipe") }
        // These pointers are valid until the end of this function, and are not kept: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
        if let log {
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT, 0o600)
        } else {
            unsafe posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO)
        }
        // Threads of Swift's pool block all signals, and the child would begin with theirs blocked: nothing could end
        // it.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // The tests themselves may run under nohup.
        var hangup = sigset_t()
        unsafe sigemptyset(&hangup)
        unsafe sigaddset(&hangup, SIGHUP)
        unsafe posix_spawnattr_setsigdefault(&attributes, &hangup)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = (ignoringHangup ? ["/usr/bin/nohup"] : []) + [path] + arguments
        var argv = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe argv.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let result = unsafe posix_spawn(&child, words[0], &actions, &attributes, &argv, environ)
        close(pipes[1])
        guard result == 0 else {
            close(pipes[0])
            throw TestFailure("\(path) cannot be run")
        }
        return (child, pipes[0])
    }

    private static func wait(for child: pid_t, _ isDone: inout Bool) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        isDone = true
        // WIFEXITED and WEXITSTATUS are macros, which Swift does not see.
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// What comes next; `nil` at the end, and if nothing comes in time.
    private static func read(_ descriptor: Int32, seconds: Int32) -> String? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe Glibc.poll(&poll, 1, seconds * 1000) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}

/// Why a test cannot go on.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
