import Foundation

/// Another program as a judge: what it makes we must read, what we make it must read.
package enum Peer: String {
    case ffmpeg, vpxenc, vpxdec
    case gstreamer = "gst-launch-1.0"
    /// Python with GStreamer's bindings: the system's own, whatever other Python comes first in the path.
    case python = "python3"

    /// A peer that takes longer is ended, which its caller sees as a failure.
    private static let longestSeconds = 60

    private var path: String? {
        if self == .python { return "/usr/bin/python3" }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    package var isInstalled: Bool {
        guard self == .python else { return path != nil }
        let imports = "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"
        return (try? run("-c", imports)) != nil  // what does not run is not there
    }

    /// Runs it to its end and gives its standard output; anything but success throws what it said.
    @discardableResult
    package func run(_ arguments: String...) throws -> [UInt8] {
        try run(arguments)
    }

    /// The same with a list of arguments.
    @discardableResult
    package func run(_ arguments: [String]) throws -> [UInt8] {
        guard let path else { throw TestFailure("\(rawValue) is not installed") }
        let folder = TemporaryFolder()
        let (output, errors) = (folder.path("output"), folder.path("errors"))
        let limited = ["timeout", "--kill-after=5", "\(Peer.longestSeconds)", path] + arguments
        let status = try spawn("/usr/bin/timeout", limited, output: output, errors: errors)
        guard status == 0 else {
            throw TestFailure("\(rawValue) \(arguments): \(String(decoding: try read(errors), as: UTF8.self))")
        }
        return try read(output)
    }

    /// Foundation's `Process` leaks a little each time, which the address sanitizer calls an error; this does not.
    private func spawn(_ path: String, _ arguments: [String], output: String, errors: String) throws -> Int32 {
        // Every pointer of these lives until the end of this function, and nobody keeps them: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT, 0o600)
        var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe argv.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, path, &actions, nil, &argv, environ) == 0 else {
            throw TestFailure("\(path) cannot be run")
        }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
