import Glibc

/// Processes that this one starts. Foundation's `Process` has none of its descriptors closed, and cannot share a
/// socket.
enum ChildProcess {
    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: its path, and its arguments.
    ///   - descriptor: its standard input and output; `nil` for those of this process.
    /// - Returns: its process.
    /// - Throws: ``CommandError``.
    static func start(_ words: [String], on descriptor: Int32? = nil) throws -> pid_t {
        // Valid until the end of this function, and not kept: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let descriptor {
            for standard in [STDIN_FILENO, STDOUT_FILENO] {
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
            }
        }
        // What this process ignores, its children would ignore too.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in Interruption.signals + [SIGPIPE] { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var argv = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe argv.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let result = unsafe posix_spawn(&child, words[0], &actions, &attributes, &argv, environ)
        guard result == 0 else { throw CommandError("\(words[0]): \(unsafe String(cString: strerror(result)))") }
        return child
    }

    /// Waits for the end of a process.
    ///
    /// - Returns: its exit code; 128 and the signal's number if a signal ended it.
    static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        // WIFEXITED and WEXITSTATUS are macros, which Swift does not see.
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// Waits for the end of a process that is about to end, and kills it if it has not after two seconds.
    static func end(_ child: pid_t) {
        for _ in 0..<200 {
            // WNOWAIT leaves the end for `wait` to see.
            var end = unsafe siginfo_t()
            guard unsafe waitid(P_PID, id_t(child), &end, WEXITED | WNOHANG | WNOWAIT) == 0 else { return }
            if unsafe end.si_signo == SIGCHLD { break }
            usleep(10_000)
        }
        // A process that has ended, and was not waited for, takes no harm.
        kill(child, SIGKILL)
        _ = wait(for: child)
    }
}
