import Foundation

/// Another program, run to its end.
///
/// Foundation's `Process` leaks a little each time, which the address sanitizer calls an error; this does not.
package struct Program {
    /// Where it is.
    package let path: String

    package init(path: String) { self.path = path }

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
    }

    /// Runs it to its end.
    ///
    /// - Parameter input: the file that is its standard input.
    package func run(_ arguments: [String], input: String = "/dev/null") throws -> Outcome {
        let folder = TemporaryFolder()
        let (output, errors) = (folder.path("output"), folder.path("errors"))
        // Every pointer of these lives until the end of this function, and nobody keeps them: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT, 0o600)
        var argv = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe argv.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, path, &actions, nil, &argv, environ) == 0 else {
            throw TestFailure("\(path) cannot be run")
        }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        // WIFEXITED and WEXITSTATUS are macros, which Swift does not see.
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        return Outcome(
            status: code, output: try read(output), errors: String(decoding: try read(errors), as: UTF8.self))
    }
}
