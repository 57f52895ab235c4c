import Foundation

/// Another program that runs beside a test, never longer than it was allowed to.
package final class RunningPeer {
    private let name: String
    private let child: pid_t
    private let folder = TemporaryFolder()
    private var status: Int32?

    /// Starts the program at `path`. `timeout` of coreutils ends it after `limit` seconds.
    ///
    /// Foundation's `Process` leaks a little each time, which the address sanitizer calls an error; this does not.
    init(_ path: String, _ arguments: [String], limit: Int) throws {
        name = "\(path) \(arguments)"
        let words = ["timeout", "--kill-after=5", "\(limit)", path] + arguments
        // Every pointer of these lives until the end of this function, and nobody keeps them: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, folder.path("output"), O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, folder.path("errors"), O_WRONLY | O_CREAT, 0o600)
        var argv = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe argv.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawnp(&child, "timeout", &actions, nil, &argv, environ) == 0 else {
            throw TestFailure("\(path) cannot be run")
        }
        self.child = child
    }

    deinit {
        guard status == nil else { return }
        kill(child, SIGKILL)
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
    }

    /// Waits for its end and gives its standard output; anything but success throws what it said.
    package func finish() throws -> [UInt8] {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        self.status = status
        guard status == 0 else {
            throw TestFailure("\(name): \(String(decoding: try read(folder.path("errors")), as: UTF8.self))")
        }
        return try read(folder.path("output"))
    }

    /// Waits until somebody on this machine listens at a UDP port of IPv4, for ten seconds at the most.
    package static func waitUntilListening(port: UInt16) throws {
        let digits = String(port, radix: 16, uppercase: true)
        let entry = ":" + String(repeating: "0", count: 4 - digits.count) + digits + " 00000000:0000"
        for _ in 0..<1000 {
            if String(decoding: try read("/proc/net/udp"), as: UTF8.self).contains(entry) { return }
            usleep(10_000)
        }
        throw TestFailure("nobody listens at port \(port)")
    }
}
