import Foundation
import Glibc

/// Another program that runs beside a test. It ends with the test at the latest.
///
/// Foundation's `Process` leaks a little each time, which the address sanitizer calls an error; this does not.
package final class RunningProgram {
    /// What a program left behind.
    package struct Outcome {
        /// Its exit code; 128 and the signal's number where a signal ended it, as in a shell.
        package var status: Int32
        /// Its standard output.
        package var output: [UInt8]
        /// Its standard error.
        package var errors: String

        /// Its standard output as text.
        package var text: String { String(decoding: output, as: UTF8.self) }
        /// Whether it was stopped because its time was over: coreutils' `timeout` says so.
        package var isStopped: Bool { status == 124 || status == 137 }
    }

    private let folder = TemporaryFolder()
    private let child: pid_t
    private var isDone = false

    /// Starts the program that the first of `command` names, with the rest as its arguments; `timeout` of coreutils
    /// ends it after `limit` seconds.
    init(_ command: [String], input: String, limit: Int) throws {
        let words = ["timeout", "--kill-after=5", "\(limit)"] + command
        // These pointers are valid until the end of this function, and are not kept: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let (output, errors) = (folder.path("output"), folder.path("errors"))
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT, 0o600)
        // Threads of Swift's pool block all signals, and the child would begin with theirs blocked: nothing could end
        // it.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // The tests may run under `nohup`, which ignores it.
        var hangup = sigset_t()
        unsafe sigemptyset(&hangup)
        unsafe sigaddset(&hangup, SIGHUP)
        unsafe posix_spawnattr_setsigdefault(&attributes, &hangup)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var argv = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe argv.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawnp(&child, "timeout", &actions, &attributes, &argv, environ) == 0 else {
            throw TestFailure("\(command) cannot be run")
        }
        self.child = child
    }

    deinit {
        guard !isDone else { return }
        // `timeout` hands it on to the program; SIGKILL would not be.
        Glibc.kill(child, SIGTERM)
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
    }

    /// What it has said on standard output so far.
    package var outputSoFar: String {
        (try? read(folder.path("output"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// What it has said on standard error so far.
    package var errorsSoFar: String {
        // Nothing, before it has begun.
        (try? read(folder.path("errors"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Presses Ctrl-C, so to say.
    package func interrupt() {
        // `timeout` hands it on to the program.
        Glibc.kill(child, SIGINT)
    }

    /// Asks it to end, and it alone: what it has started is told nothing.
    package func terminate() throws { try send(SIGTERM) }

    /// Kills it, if it still runs, by a signal that it cannot see; `wait()` then gives 137, once it is gone.
    package func kill() throws { try send(SIGKILL) }

    /// Sends it a signal, and it alone.
    package func send(_ signal: Int32) throws { for process in try processes() { Glibc.kill(process, signal) } }

    /// What it takes at present.
    package func load() throws -> ProcessLoad {
        guard let process = try processes().first else { throw TestFailure("it has ended") }
        return try ProcessLoad(of: process)
    }

    /// Where its file system is seen, with what is mounted for it only (proc(5), root).
    package func root() throws -> String {
        guard let process = try processes().first else { throw TestFailure("it has ended") }
        return "/proc/\(process)/root"
    }

    /// The most memory that it had at a time since it began, or since ``forgetPeak()``, in bytes.
    package func peak() throws -> Int {
        guard let process = try processes().first else { throw TestFailure("it has ended") }
        let lines = String(decoding: try read("/proc/\(process)/status"), as: UTF8.self).split(separator: "\n")
        let words = lines.first { $0.hasPrefix("VmHWM:") }?.split(separator: " ") ?? []
        guard words.count > 1, let kibibytes = Int(words[1]) else { throw TestFailure("no peak") }
        return kibibytes << 10
    }

    /// Begins to measure ``peak()`` again, from what it has now (proc(5), clear_refs).
    package func forgetPeak() throws {
        for process in try processes() {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "/proc/\(process)/clear_refs"))
            try file.write(contentsOf: Data("5".utf8))
            try file.close()
        }
    }

    /// Not `timeout`, which would hand a signal on to a whole group, or end first, but the program that it has started.
    func processes() throws -> [pid_t] {
        let children = String(decoding: try read("/proc/\(child)/task/\(child)/children"), as: UTF8.self)
        return children.split(separator: " ").compactMap { pid_t($0) }
    }

    /// Whether it has ended, by itself or not.
    package var hasEnded: Bool {
        var end = unsafe siginfo_t()
        // WNOWAIT leaves the end for `wait()` to see.
        unsafe waitid(P_PID, id_t(child), &end, WEXITED | WNOHANG | WNOWAIT)
        return unsafe end.si_signo == SIGCHLD
    }

    /// The same for a task as ``wait()``: it blocks none of the few threads that all tasks share.
    package func finished() async throws -> Outcome {
        // Who awaits its end does nothing else with it meanwhile.
        nonisolated(unsafe) let program = self
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try unsafe program.wait() }) }
        }
    }

    /// Waits for its end. Once only.
    package func wait() throws -> Outcome {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        isDone = true
        // WIFEXITED and WEXITSTATUS are macros, which Swift does not see.
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
        return Outcome(
            status: code, output: try read(folder.path("output")),
            errors: String(decoding: try read(folder.path("errors")), as: UTF8.self))
    }
}
