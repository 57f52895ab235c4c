import Foundation
import RillTestSupport
import Testing

/// Only complete files get their names, with any writer and any error.
@Suite struct WholeOutputTests {
    private let folder = TemporaryFolder()

    private var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.root)) }
    }

    /// Runs `rill` where files grow to that many blocks of 512 bytes and no further, as on a disk that is full then.
    private func run(_ arguments: [String], blocks: Int) throws -> RunningProgram.Outcome {
        let program = try rillProgram()
        var shell = try #require(Program(path: "/bin/sh"))
        shell.environment = program.environment
        // Ignored, the signal leaves the error of the write.
        return try shell.run(["-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" \"$@\"", program.path] + arguments)
    }

    @Test func `A disk that gets full leaves what was there before`() throws {
        let clip = try movingClip(in: folder, frames: 30)
        let capture = folder.path("call.pcap")
        #expect(
            try rill("loopback", clip, "--no-compare", "--capture", capture, "--trace", folder.path("call.trace"))
                .status == 0)
        let before = try names
        let old = Array("what was there before".utf8)
        for (name, arguments) in [
            ("o.y4m", ["generate", "portrait", "OUT", "--size", "64x48", "--duration", "1s"]),
            ("o.yuv", ["generate", "portrait", "OUT", "--size", "64x48", "--duration", "1s"]),
            ("o.png", ["generate", "portrait", "OUT", "--size", "160x120"]),
            ("o.y4m", ["loopback", clip, "--output", "OUT"]), ("o.y4m", ["loopback", clip, "--low-output", "OUT"]),
            ("o.pcap", ["loopback", clip, "--capture", "OUT"]), ("o.pcapng", ["loopback", clip, "--capture", "OUT"]),
            ("o.rtpdump", ["loopback", clip, "--capture", "OUT"]), ("o.ivf", ["loopback", clip, "--coded", "OUT"]),
            ("o.html", ["loopback", clip, "--report", "OUT"]),
            ("o.y4m", ["loopback", clip, "--live", "--output", "OUT"]),
            ("o.ivf", ["inspect", capture, "--frames", "OUT"]),
            ("o.ivf", ["reencode", folder.path("call.trace"), clip, "OUT"]),
            ("o.ivf", ["transcode", clip, "OUT"]),
        ] {
            let out = folder.path(name)
            try write(old, to: out)
            let outcome = try run(arguments.map { $0 == "OUT" ? out : $0 }, blocks: 8)
            #expect(outcome.status == 1, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("\(out): cannot be written at byte"), "\(arguments): \(outcome.errors)")
            #expect(try read(out) == old, "\(arguments)")
            try FileManager.default.removeItem(atPath: out)
            #expect(try names == before, "\(arguments)")
        }
    }

    /// Waits until a file is there, and longer than so many bytes.
    private func wait(for name: String, _ count: Int = 0) {
        for _ in 0..<3000 {
            let bytes = try? read(folder.path(name))  // at first there is no file
            if bytes?.count ?? -1 > count { return }
            usleep(10_000)
        }
    }

    @Test(arguments: [true, false])
    func `An interrupted program leaves nothing behind`(byKeyboard: Bool) throws {
        let clip = try movingClip(in: folder, frames: 900)
        let before = try names
        for (name, arguments) in [
            ("o.y4m", ["generate", "portrait", folder.path("o.y4m"), "--duration", "600s"]),
            (
                "o.pcap",
                ["loopback", clip, "--capture", folder.path("o.pcap"), "--output", folder.path("o.y4m")]
            ),
        ] {
            let program = try rillProgram().start(arguments, limit: 60)
            wait(for: ".\(name).part", 100)
            if byKeyboard { program.interrupt() } else { try program.terminate() }
            let outcome = try program.wait()
            #expect(outcome.status == 130, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("interrupted: no output was written"), "\(outcome.errors)")
            #expect(try names == before, "\(arguments)")
        }
    }

    @Test func `The recording of a live call until Ctrl-C is kept, complete`() throws {
        let clip = try movingClip(in: folder, frames: 900)
        let (capture, shown, coded) = (folder.path("o.pcap"), folder.path("o.y4m"), folder.path("o.ivf"))
        let program = try rillProgram().start([
            "loopback", clip, "--live", "--no-compare", "--capture", capture, "--output", shown, "--coded", coded,
            "--trace", folder.path("o.trace"), "--report", folder.path("o.html"),
        ])
        wait(for: ".o.pcap.part", 4000)
        program.interrupt()
        let outcome = try program.wait()
        #expect(outcome.status == 0, "\(outcome.status): \(outcome.errors)")
        for path in [capture, shown, coded] {
            let inspection = try rill("inspect", path)
            #expect(inspection.status == 0 && inspection.text.contains("64x48"), "\(path): \(inspection.errors)")
        }
        #expect(try names.isSuperset(of: ["o.trace", "o.html"]))
        #expect(try !names.contains { $0.hasSuffix(".part") })
    }
}
