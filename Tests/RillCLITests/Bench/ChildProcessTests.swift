import Foundation
import RillTestSupport
import Testing

@testable import RillCLI

@Suite struct ChildProcessTests {
    private let folder = TemporaryFolder()

    private func run(_ words: [String], limit: Double = 60) throws -> Turn {
        try ChildProcess(Invocation(words: words), output: folder.path("output")).wait(limit: limit)
    }

    @Test func `Its peak memory is its own, and not that of who started it`() throws {
        // Linux tells a spawned child's peak to be at least its parent's: that this process is large must not show.
        let size = 96 << 20
        var memory = [UInt8](repeating: 1, count: size)
        memory[size / 2] = 2
        let small = try #require(try run(["/bin/sleep", "0.3"]).peakBytes)
        #expect(small < 32 << 20, "\(small >> 20) MiB for sleep")
        #expect(memory[size / 2] == 2)
        let large = try #require(
            try run(["/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=160M", "count=8"]).peakBytes)
        #expect(large > 150 << 20 && large < 220 << 20, "\(large >> 20) MiB for dd")
    }

    @Test func `CPU time is that of the program, wall time that of its life`() throws {
        let asleep = try run(["/bin/sleep", "0.3"])
        #expect(asleep.wallSeconds >= 0.3)
        #expect(asleep.cpuSeconds < 0.3)
        let busy = try run(["/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])
        #expect(busy.cpuSeconds > asleep.cpuSeconds)
    }

    @Test func `What it prints on both ways is kept, and its environment is ours and more`() throws {
        let words = ["/bin/sh", "-c", "echo $HOME $WORD; echo oops >&2"]
        let child = try ChildProcess(
            Invocation(words: words, environment: ["WORD": "a b"]), output: folder.path("output"))
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        let output = try child.wait(limit: 60).output
        #expect(output == "\(home) a b\noops\n" || output == "a b\noops\n")
    }

    @Test func `Failures, signals and programs that are not there are errors with their numbers`() throws {
        func message(_ words: [String], limit: Double = 60) -> String {
            do {
                _ = try run(words, limit: limit)
                return "nothing went wrong"
            } catch { return "\(error)" }
        }
        #expect(message(["/bin/sh", "-c", "echo because; exit 7"]).contains("ended with 7: because"))
        #expect(message(["/bin/sh", "-c", "kill -9 $$"]).contains("137"))
        #expect(message(["/nonexistent/program"]).contains("errno 2"))
        #expect(message(["/bin/sleep", "600"], limit: 0.2).contains("was not done"))
    }

    @Test func `Who watches is asked again and again, and may end it`() throws {
        struct Enough: Error {}
        var count = 0
        let child = try ChildProcess(Invocation(words: ["/bin/sleep", "600"]), output: folder.path("output"))
        #expect(throws: Enough.self) {
            try child.wait(limit: 60) {
                count += 1
                if count == 5 { throw Enough() }
            }
        }
        #expect(count == 5)
    }
}
