import Foundation
import RillTestSupport
import Testing

@Suite struct LoopbackCommandTests {
    private let folder = TemporaryFolder()

    private struct Report: Decodable {
        struct Layer: Decodable {
            struct Received: Decodable { var framesShown: Int }
            var rid: String
            var received: Received
        }
        var framesCaptured: Int
        var layers: [Layer]
    }

    private func report(_ outcome: RunningProgram.Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.output))
    }

    @Test func `The same seed prints the same bytes`() throws {
        let arguments = ["loopback", try movingClip(in: folder, frames: 15), "--json", "--network"]
        let program = try rillProgram()
        let first = try program.run(arguments + ["loss=20%,delay=40ms,jitter=10ms,seed=3"])
        let second = try program.run(arguments + ["loss=20%,delay=40ms,jitter=10ms,seed=3"])
        let other = try program.run(arguments + ["loss=20%,delay=40ms,jitter=10ms,seed=4"])
        #expect(first.status == 0)
        #expect(first.output == second.output)
        #expect(first.output != other.output)
        #expect(try report(first).framesCaptured == 15)
        // What was really measured never repeats, and so is not among it.
        #expect(first.errors.contains("measured:"))
    }

    @Test func `Repair options use the field's terms`() throws {
        let arguments = [
            "loopback", try movingClip(in: folder, frames: 60), "--json", "--playout-delay", "300ms", "--network",
            "loss=10%,delay=20ms,seed=3",
        ]
        let program = try rillProgram()
        func shown(_ options: String...) throws -> Int {
            let outcome = try program.run(arguments + options)
            #expect(outcome.status == 0, "\(options): \(outcome.errors)")
            return try report(outcome).layers.reduce(0) { $0 + $1.received.framesShown }
        }
        let bare = try shown("--no-nack")
        for options in [["--no-rtx"], ["--no-nack", "--fec", "50%"], ["--fec", "20%"]] {
            let outcome = try program.run(arguments + options)
            let repaired = try report(outcome).layers.reduce(0) { $0 + $1.received.framesShown }
            #expect(outcome.status == 0 && repaired > bare, "\(options): \(repaired) of \(bare)")
        }
        #expect(try shown() > bare)
        #expect(try program.run(["loopback", "--fec", "120%"]).status != 0)
    }

    @Test func `Ctrl-C ends a live call with its report`() throws {
        let capture = folder.path("call.pcap")
        let program = try rillProgram().start([
            "loopback", try movingClip(in: folder, frames: 900), "--live", "--no-compare", "--json", "--capture",
            capture,
        ])
        let part = folder.path(".call.pcap.part")
        // The call is under way once packets are written.
        for _ in 0..<3000 {
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: part))  // at first there is no file
            if bytes?.count ?? 0 > 2000 { break }
            usleep(20_000)
        }
        program.interrupt()
        let outcome = try program.wait()
        #expect(outcome.status == 0, "\(outcome.status): \(outcome.errors)")
        let report = try report(outcome)
        #expect(report.framesCaptured > 0 && report.framesCaptured < 900)
        #expect(report.layers.allSatisfy { $0.received.framesShown > 0 })
    }

    @Test func `A call without sleep works, or reports why it does not`() throws {
        let clip = try movingClip(in: folder, frames: 30)
        let outcome = try rill("loopback", clip, "--live", "--sleepless", "--no-compare", "--json")
        if unsafe access("/dev/cpu_dma_latency", W_OK) == 0 {
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try report(outcome).layers.allSatisfy { $0.received.framesShown > 0 })
        } else {
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("/dev/cpu_dma_latency takes no request"), "\(outcome.errors)")
        }
    }

    @Test func `The return path has its own settings`() throws {
        let arguments = [
            "loopback", try movingClip(in: folder, frames: 30), "--json", "--network", "loss=20%,delay=40ms,seed=3",
        ]
        let program = try rillProgram()
        let plain = try program.run(arguments)
        let same = try program.run(arguments + ["--return-network", "loss=20%,delay=40ms,seed=3"])
        let deaf = try program.run(arguments + ["--return-network", "loss=100%"])
        #expect(plain.status == 0 && plain.output == same.output && plain.output != deaf.output)
    }

    @Test func `The files of a lossy call are as long as its source`() throws {
        let (high, low) = (folder.path("high.y4m"), folder.path("low.y4m"))
        let outcome = try rill(
            "loopback", try movingClip(in: folder, frames: 60), "--network", "loss=30%,delay=20ms,seed=2", "--json",
            "--output", high, "--low-output", low)
        let report = try report(outcome)
        #expect(report.layers[0].received.framesShown < 60, "the seed loses nothing: the test shows nothing")
        let counts = try [(high, 64 * 48), (low, 160 * 120)].map { path, pixels in
            let bytes = try read(path)
            let header = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 1
            return Double(bytes.count - header) / Double("FRAME\n".utf8.count + pixels * 3 / 2)
        }
        #expect(counts == [60, 10])
    }

    @Test func `A duration plays the start of a clip`() throws {
        let clip = try movingClip(in: folder, frames: 60)
        for (duration, frames) in [("1s", 30), ("500ms", 15), ("5s", 60)] {
            let outcome = try rill("loopback", clip, "--duration", duration, "--json")
            #expect(try report(outcome).framesCaptured == frames, "\(duration): \(outcome.errors)")
        }
        #expect(try report(rill("loopback", clip, "--live", "--duration", "300ms", "--json")).framesCaptured == 9)
        #expect(try report(rill("loopback", clip, "--json")).framesCaptured == 60)
        #expect(try rill("loopback", clip, "--duration", "0s").status == 64)
    }

    @Test(
        .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"),
        arguments: [
            ("mp4", ["-c:v", "libx264", "-movflags", "+faststart"]), ("webm", ["-c:v", "libvpx"]),
            ("mkv", ["-c:v", "libx264"]),
        ])
    func `The start of a truncated file is played, with a warning`(container: String, options: [String])
        throws
    {
        let path = folder.path("clip.\(container)")
        try Peer.ffmpeg.run(
            ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=4"] + options
                + ["-pix_fmt", "yuv420p", "-g", "10", path])
        #expect(try rill("loopback", path).status == 0)
        let bytes = try read(path)
        try write(Array(bytes.prefix(bytes.count / 2)), to: path)
        let outcome = try rill("loopback", path, "--json")
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.errors.contains("the file is cut off: of \(bytes.count) bytes"), "\(outcome.errors)")
        let frames = try report(outcome).framesCaptured
        #expect(frames > 10 && frames < 90 && outcome.text.contains("\"missing\" : \"the file is cut off"))
        // Who never comes to the end misses nothing.
        let beginning = try rill("loopback", path, "--duration", "200ms")
        #expect(beginning.status == 0, "\(beginning.errors)")
    }

    @Test func `A static screen is not encoded`() throws {
        let raw = folder.path("slide.yuv")
        var frame = [UInt8](repeating: 128, count: 64 * 48 * 3 / 2)
        for index in 0..<64 * 48 where index % 7 < 3 { frame[index] = 30 }
        try write((0..<90).flatMap { _ in frame }, to: raw)
        for (content, shown) in [("camera", 90...90), ("screen", 3...60)] {
            let outcome = try rill("loopback", raw, "--raw-size", "64x48", "--content", content, "--json")
            #expect(shown.contains(try report(outcome).layers[0].received.framesShown), "\(content)")
        }
    }

    @Test func `Pictures that a receiver of strangers would refuse are shown`() throws {
        let (raw, size) = (folder.path("grey.yuv"), 4096 * 2320)
        try write([UInt8](repeating: 128, count: size * 3 / 2), to: raw)
        let outcome = try rill("loopback", raw, "--raw-size", "4096x2320", "--json", "--no-compare")
        #expect(try report(outcome).layers[0].received.framesShown == 1)
    }

    @Test(arguments: [[], ["--live"]])
    func `The bitrate follows the network`(mode: [String]) throws {
        let clip = try movingClip(in: folder, frames: 60)
        let outcome = try rillProgram().run(
            ["loopback", clip, "--congestion", "30k...2M,start=100k", "--network", "rate=1M,queue=300ms,delay=10ms"]
                + ["--no-compare", "--json"] + mode)
        #expect(try report(outcome).layers[0].received.framesShown > 20, "\(outcome.errors)")
    }

    @Test(arguments: [
        (["--network", "loss=200%"], "loss"),
        (["--network", "los=2%"], "los=2%"),
        (["--return-network", "burst=5%"], "burst=5%/3"),
        (["--bitrate", "fast"], "bitrate"),
        (["--encode-time", "5ms", "--live"], "--encode-time"), (["--sleepless"], "--sleepless"),
        (["--measured"], "--measured"),
        (["--output", "-"], "standard output"),
        (["-"], "file"),
        (["--size", "10000x10000"], "10000x10000 is above the limit of loopback"),
        (["--output", "a.y4m", "--low-output", "a.y4m"], "same file"),
    ])
    func `Wrong arguments are refused by name`(arguments: [String], word: String) throws {
        let outcome = try rillProgram().run(["loopback"] + arguments)
        #expect(outcome.status == 64, "\(arguments)")
        #expect(outcome.errors.contains(word), "\(arguments): \(outcome.errors)")
        #expect(outcome.errors.contains("rill loopback --help"), "\(arguments): \(outcome.errors)")
    }
}
