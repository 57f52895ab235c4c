import Foundation

/// Another program as a judge: what it makes we must read, what we make it must read.
package enum Peer: String {
    case ffmpeg, vpxenc, vpxdec, tshark
    case gstLaunch = "gst-launch-1.0"

    private var path: String? { executable(rawValue) }

    package var isInstalled: Bool { path != nil }

    /// Runs it to its end and gives its standard output; anything but success throws what it said.
    @discardableResult
    package func run(_ arguments: String...) throws -> [UInt8] {
        try run(arguments)
    }

    /// The same with a list of arguments.
    ///
    /// - Parameter seconds: when to stop it, if it has not ended by then. Where the peer is not known to end by itself,
    ///   that is as expected; else it throws.
    @discardableResult
    package func run(_ arguments: [String], stoppedAfter seconds: Int = 120, asExpected: Bool = false) throws -> [UInt8]
    {
        guard let path else { throw TestFailure("\(rawValue) is not installed") }
        let folder = TemporaryFolder()
        let (output, errors) = (folder.path("output"), folder.path("errors"))
        let status = try spawn(path, arguments, seconds, output: output, errors: errors)
        // What coreutils' `timeout` says of one that it stopped.
        let isStopped = status >> 8 == 124
        guard status == 0 || isStopped && asExpected else {
            throw TestFailure("\(rawValue) \(arguments): \(String(decoding: try read(errors), as: UTF8.self))")
        }
        return try read(output)
    }

    /// Runs it under coreutils' `timeout`: a peer that waits for ever must not hold up the tests for as long.
    ///
    /// Foundation's `Process` leaks a little each time, which the address sanitizer calls an error; this does not.
    private func spawn(
        _ path: String, _ arguments: [String], _ seconds: Int, output: String, errors: String
    ) throws -> Int32 {
        // Every pointer of these lives until the end of this function, and nobody keeps them: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT, 0o600)
        guard let timeout = executable("timeout") else { throw TestFailure("there is no timeout, as coreutils has it") }
        let words = ["timeout", "--kill-after=5", "\(seconds)", path] + arguments
        var argv = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe argv.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, timeout, &actions, nil, &argv, environ) == 0 else {
            throw TestFailure("\(path) cannot be run")
        }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// The program of that name on the path.
private func executable(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
}
