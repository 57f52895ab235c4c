import Glibc

/// A program that is measured while it runs.
///
///     let child = try folder.start(Invocation(words: ["/usr/bin/vpxenc", …]))
///     let turn = try child.wait(limit: 600) { try tally.drain() }
///
/// CPU time is what the system counts of the process when it has ended (`wait4`). Its `ru_maxrss` is not that of the
/// program alone: a child that was spawned begins in its parent's memory, and Linux carries the parent's peak over into
/// the child at `exec`. So `VmHWM` in `/proc/PID/status`, which begins anew with the program, is read sixty times a
/// second, and the system's figure is taken where it is above our own peak, and so cannot be ours.
final class ChildProcess {
    private let program: String
    private let output: String
    private let isWanted: () -> Bool
    private let child: pid_t
    private let start: Double
    private let ownPeak: Int
    private var seenPeak: Int?
    private var isDone = false

    /// Microseconds from look to look, where nobody asks for others.
    static let pause: UInt32 = 2000
    /// Looks from one reading of the peak to the next, which costs the system more than all else here.
    private static let looksPerReading = 8

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - output: the file that what it prints goes to, on both ways.
    ///   - isWanted: is asked at each look; once it says no, the program is ended.
    init(
        _ invocation: Invocation, output: String, whileWanted isWanted: @escaping () -> Bool = { true }
    ) throws(BenchError) {
        program = invocation.words[0]
        self.output = output
        self.isWanted = isWanted
        // Every pointer of these lives until the end of this function, and nobody keeps them: the child has copies.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        // What this process ignores (Ctrl-C, which it takes otherwise) the child must not.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (none, defaults) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigemptyset(&defaults)
        for number in [SIGINT, SIGTERM] { unsafe sigaddset(&defaults, number) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var argv = unsafe invocation.words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe ChildProcess.environment(with: invocation.environment).map { unsafe strdup($0) } + [nil]
        defer { unsafe (argv + variables).forEach { unsafe free($0) } }
        ownPeak = ChildProcess.ownPeak
        start = ChildProcess.now
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, invocation.words[0], &actions, &attributes, &argv, &variables)
        guard code == 0 else { throw .notStarted(program: program, code: code) }
        self.child = child
    }

    deinit {
        guard !isDone else { return }
        end()
    }

    /// Waits for its end; once only.
    ///
    /// - Parameters:
    ///   - limit: seconds after which it is ended.
    ///   - pause: microseconds from look to look: what the wall time may be wrong by.
    ///   - look: is called after each pause.
    /// - Throws: `failed`, `overdue`, `interrupted` where the program was or is not wanted any more, or what `look`
    ///   throws; the program is then over.
    func wait(
        limit: Double, pause: UInt32 = ChildProcess.pause, whileDoing look: () throws -> Void = {}
    ) throws -> Turn {
        var (status, usage): (Int32, rusage) = (0, rusage())
        var lookCount = 0
        while true {
            let ended = unsafe wait4(child, &status, WNOHANG, &usage)
            if ended == child { break }
            try look()
            // A signal to this process alone reaches no program that it measures.
            guard isWanted() else {
                end()
                throw BenchError.interrupted
            }
            if ChildProcess.now - start > limit {
                end()
                throw BenchError.overdue(program: program, seconds: limit)
            }
            if lookCount % ChildProcess.looksPerReading == 0 {
                seenPeak = max(seenPeak ?? 0, ChildProcess.peak(of: child) ?? 0)
            }
            lookCount += 1
            usleep(pause)
        }
        let wall = ChildProcess.now - start
        isDone = true
        try look()
        let printed = (try? TextFile.read(output)) ?? ""  // a program that prints nothing has said nothing
        // WTERMSIG and WEXITSTATUS are macros, which Swift does not see.
        let signal = status & 0x7F
        // Ctrl-C goes to all programs of a terminal, and may end this one before anybody else has noticed.
        guard ![SIGINT, SIGTERM].contains(signal) else { throw BenchError.interrupted }
        let code = signal == 0 ? status >> 8 & 0xFF : 128 + signal
        guard code == 0 else {
            throw BenchError.failed(program: program, status: code, output: String(printed.suffix(400)))
        }
        return Turn(
            cpuSeconds: ChildProcess.seconds(usage.ru_utime) + ChildProcess.seconds(usage.ru_stime), wallSeconds: wall,
            peakBytes: peak(Int(usage.ru_maxrss) * 1024), output: printed)
    }

    private func peak(_ systemPeak: Int) -> Int? {
        // Where nothing was read in time, nothing is known: no program is as small as nothing.
        systemPeak > ownPeak ? systemPeak : seenPeak.flatMap { $0 > 0 ? $0 : nil }
    }

    private func end() {
        kill(child, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        isDone = true
    }

    // MARK: What the system says

    private static func environment(with more: [String: String]) -> [String] {
        var variables = more.map { "\($0.key)=\($0.value)" }
        var next = unsafe environ
        // The list ends with a null; nobody changes it while this reads: there is one thread.
        while let text = unsafe next.pointee {
            let variable = unsafe String(cString: text)
            if more[String(variable.prefix { $0 != "=" })] == nil { variables.append(variable) }
            unsafe next += 1
        }
        return variables
    }

    /// The largest resident size of a process since its last `exec`, in bytes; `nil` when it has ended.
    private static func peak(of process: pid_t) -> Int? {
        guard let status = try? TextFile.read("/proc/\(process)/status"),  // gone, as it may be at any time
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return line.split(separator: " ").dropLast().last.flatMap { Int($0) }.map { $0 * 1024 }
    }

    private static var ownPeak: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Int(usage.ru_maxrss) * 1024
    }

    private static var now: Double {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        return Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
