import Glibc
import RillTestSupport
import RillThreads
import Testing

/// Commands whose user may have few threads: they refuse by name, and neither trap nor hang.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root can run a program as a user without other processes"))
struct ScarceThreadsTests {
    private let folder = TemporaryFolder()

    /// Runs the command as a user of its own, with at most that many threads.
    private func run(_ words: [String], threads: Int, user: Int) throws -> RunningProgram.Outcome {
        var limiter = try existing(Program(named: "prlimit"))
        limiter.environment["SWIFT_BACKTRACE"] = "enable=no"
        let identity = ["setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
        return try limiter.start(
            ["--nproc=\(threads)"] + identity + [try rillProgram().path] + words, input: "/dev/null", limit: 20
        ).wait()
    }

    @Test(arguments: ["call", "send", "loopback", "publish", "transcode", "segments", "serve"])
    func `A process without threads refuses by name`(command: String) throws {
        let clip = try movingClip(in: folder, frames: 10)
        #expect(chmod(folder.path("."), 0o777) == 0)
        let words: [String]
        switch command {
        case "call":
            let ports = try freePorts(2)
            words = ["call", clip, "--to", "127.0.0.1:\(ports[1])", "--listen", ports[0], "--duration", "1s"]
        case "send": words = ["send", clip, "--to", "127.0.0.1:\(try freePorts(1)[0])", "--duration", "1s"]
        case "transcode": words = ["transcode", clip, folder.path("out.ivf"), "--low", folder.path("low.ivf")]
        case "segments": words = ["transcode", clip, folder.path("out.ivf"), "--segments", "2", "--parallel", "4"]
        case "loopback": words = ["loopback", clip, "--live"]
        case "publish": words = ["publish", clip, "http://127.0.0.1:9/whip/a", "--wait", "1s"]
        default: words = ["serve", "--http", "0", "--media", "0"]
        }
        let user = 50_000 + Int(getpid()) % 10_000
        var (refused, done) = (0, 0)
        let most = 10 + 3 * ProcessorCount.usable
        // A server ends by a signal only: it is run where it must refuse.
        let enough = command == "serve" ? [] : [most + 2]
        for threads in stride(from: 1, to: most, by: max(1, most / 16)) + enough {
            let outcome = try run(words, threads: threads, user: user)
            let text = "\(command), \(threads) threads: \(outcome.status), \(outcome.errors.suffix(300))"
            // Neither by a signal nor by the limit of time.
            #expect(!outcome.isStopped && outcome.status < 124, "\(text)")
            if outcome.errors.contains("starts no further thread") { refused += 1 } else { done += 1 }
            note("\(command), \(threads): \(outcome.status)")
        }
        #expect(refused > 1 && (command == "serve") == (done == 0), "\(refused) refused, \(done) done")
    }
}
