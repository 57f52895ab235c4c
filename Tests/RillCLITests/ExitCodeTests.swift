import Foundation
import RillTestSupport
import Testing

/// One table of exit codes holds for all commands.
@Suite struct ExitCodeTests {
    private let folder = TemporaryFolder()

    /// Each command that reads anything, with an input that is `path`.
    private func commands(reading path: String) -> [[String]] {
        let out = folder.path("out.ivf")
        return [
            ["transcode", path, out], ["loopback", path], ["inspect", path], ["replay", path, "--to", "127.0.0.1:9"],
            ["reencode", path, path + ".y4m", out], ["send", path, "--to", "127.0.0.1:9"], ["receive", path],
        ]
    }

    @Test func `An input that is not there is one in every command`() throws {
        let path = folder.path("nothing.ivf")
        let cameras = [
            ["cameras", "/dev/video99"], ["cameras", "--set", "/dev/video99", "brightness=1"],
            ["snapshot", "/dev/video99", folder.path("out.png")],
            ["record", "/dev/video99", folder.path("out.y4m")], ["loopback", "/dev/video99", "--live"],
        ]
        for arguments in commands(reading: path) + cameras {
            let outcome = try rillProgram().run(arguments)
            #expect(outcome.status == 2, "\(arguments): \(outcome.status) \(outcome.errors)")
            // Once, and with its name.
            let lines = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("valgrind") }
            #expect(lines.count == 1 && lines[0].hasPrefix("Error: "), "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains("nothing.ivf") || outcome.errors.contains("video99"), "\(outcome.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root).isEmpty)
    }

    @Test func `So is one that is of another kind`() throws {
        let path = folder.path("words.ivf")
        try write(Array("these are words, not pictures, and nobody made them so".utf8), to: path)
        for arguments in commands(reading: path) {
            let outcome = try rillProgram().run(arguments)
            #expect(outcome.status == 2, "\(arguments): \(outcome.status) \(outcome.errors)")
        }
    }

    @Test func `An address without a port is a wrong argument in every command`() throws {
        let clip = try movingClip(in: folder, frames: 3, width: 64, height: 48)
        let commands = [
            ["send", clip, "--to", "127.0.0.1"], ["call", clip, "--to", "127.0.0.1", "--listen", "0"],
            ["relay", "--listen", "0", "--to", "127.0.0.1"], ["replay", clip, "--to", "127.0.0.1"],
        ]
        for arguments in commands {
            let outcome = try rillProgram().run(arguments)
            #expect(outcome.status == 64, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("expected HOST:PORT"), "\(arguments): \(outcome.errors)")
        }
    }

    /// Without descriptors libdispatch ends the process at its first timer.
    @Test(arguments: [5, 8, 10, 12, 14, 16, 20, 24, 26, 27, 28, 30, 32])
    func `A process that is out of descriptors says so`(limit: Int) throws {
        let clip = try movingClip(in: folder, frames: 3, width: 64, height: 48)
        let commands = [
            ["send", clip, "--to", "127.0.0.1:9", "--duration", "0.1s"],
            ["loopback", clip, "--live", "--duration", "0.1s"],
        ]
        var shell = try #require(Program(path: "/bin/sh"))
        shell.environment["SWIFT_BACKTRACE"] = "enable=no"
        for arguments in commands {
            let words = ["-c", "ulimit -n \(limit); exec \"$@\"", "rill", try rillProgram().path] + arguments
            let outcome = try shell.run(words)
            #expect([0, 1, 2].contains(outcome.status), "\(arguments): \(outcome.status) \(outcome.errors)")
        }
    }

    @Test func `So is a list or a folder that is not there, of a batch`() throws {
        let nothing = folder.path("nothing")
        for arguments in [["--jobs", nothing], [nothing, folder.path("out"), "--to", "webm"]] {
            let outcome = try rillProgram().run(["transcode"] + arguments)
            #expect(outcome.status == 2, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.hasPrefix("Error: \(nothing): no such "), "\(outcome.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root).isEmpty)
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `If no frame can be decoded the reason is reported`() throws {
        let clip = folder.path("ten.ivf")
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=30:duration=0.2", "-c:v", "libvpx-vp9",
            "-pix_fmt", "yuv420p10le", clip)
        for arguments in [
            ["transcode", clip, folder.path("o.ivf")], ["transcode", clip, folder.path("o.png")],
            ["transcode", clip, folder.path("o.ivf"), "--good"], ["loopback", clip],
        ] {
            let outcome = try rillProgram().run(arguments)
            #expect(outcome.status == 2, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("VP9 of profile 2 is not decoded"), "\(arguments): \(outcome.errors)")
        }
        let unreachable = try rill("transcode", clip, folder.path("o.ivf"), "--fps", "241")
        #expect(unreachable.status == 64 && unreachable.errors.contains("the frame rate goes up to 240, not 241"))
    }

    @Test func `The start of truncated input is used, with its own exit code`() throws {
        let clip = try movingClip(in: folder, frames: 30)
        let (coded, capture) = (folder.path("clip.ivf"), folder.path("call.pcap"))
        #expect(try rill("transcode", clip, coded).status == 0)
        #expect(try rill("loopback", clip, "--no-compare", "--capture", capture).status == 0)
        for path in [coded, capture] {
            let bytes = try read(path)
            try write(Array(bytes.prefix(bytes.count - 7)), to: path)
        }
        for arguments in [
            ["transcode", coded, folder.path("out.y4m")], ["loopback", coded, "--output", folder.path("shown.y4m")],
            ["inspect", coded], ["inspect", capture, "--frames", folder.path("frames.ivf")],
            ["replay", capture, "--to", "127.0.0.1:9", "--speed", "1000"],
        ] {
            let outcome = try rillProgram().run(arguments)
            #expect(outcome.status == 3, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("ends too early"), "\(arguments): \(outcome.errors)")
        }
        for name in ["out.y4m", "shown.y4m", "frames.ivf"] { #expect(try read(folder.path(name)).count > 1000) }
    }

    @Test func `An output that cannot be made is the same in every command`() throws {
        let clip = try movingClip(in: folder, frames: 3)
        let capture = folder.path("call.pcap")
        #expect(try rill("loopback", clip, "--no-compare", "--capture", capture).status == 0)
        let place = folder.path("no/such/")
        for arguments in [
            ["transcode", clip, place + "o.ivf"], ["generate", "portrait", place + "o.y4m"],
            ["generate", "portrait", place + "o.png", "--size", "32x32"],
            ["loopback", clip, "--output", place + "o.y4m"],
            ["loopback", clip, "--capture", place + "o.pcap"], ["loopback", clip, "--trace", place + "o.trace"],
            ["loopback", clip, "--coded", place + "o.ivf"], ["loopback", clip, "--report", place + "o.html"],
            ["inspect", capture, "--frames", place + "o.ivf"],
            ["send", clip, "--to", "127.0.0.1:9", "--sdp", place + "o.sdp"],
            ["receive", "--port", "9", "--output", place + "o.y4m"],
        ] {
            let outcome = try rillProgram().run(arguments)
            #expect(outcome.status == 1, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(
                outcome.errors.contains("Error: \(place)o.") && outcome.errors.contains("no such file or folder"),
                "\(arguments): \(outcome.errors)")
        }
    }

    @Test func `A full disk at standard output is an error`() throws {
        let clip = try movingClip(in: folder, frames: 3)
        let shell = try #require(Program(path: "/bin/sh"))
        for options in ["", "--json"] {
            let outcome = try shell.run([
                "-c", "exec \"$0\" inspect \"$1\" $2 > /dev/full", rillProgram().path, clip, options,
            ])
            #expect(
                outcome.status == 1 && outcome.errors.contains("standard output: cannot be written"),
                "\(outcome.errors)")
        }
    }

    @Test(arguments: [["generate", "portrait", "-"], ["transcode", "CLIP", "-"], ["inspect", "CLIP"], ["--help"]])
    func `A closed pipe ends the program silently`(words: [String]) throws {
        let clip = try movingClip(in: folder, frames: 200, width: 160, height: 120)
        let arguments = words.map { $0 == "CLIP" ? clip : $0 }
        let shell = try #require(Program(path: "/bin/bash"))
        // Some start programs with the signal ignored: they are told of the closed pipe by an error.
        for ignored in ["", "trap '' PIPE; "] {
            let script = "\(ignored)\"$@\" | true; exit ${PIPESTATUS[0]}"
            let outcome = try shell.run(["-c", script, "sh", rillProgram().path] + arguments)
            #expect([0, 141].contains(outcome.status), "\(arguments): \(outcome.status)")
            #expect(!outcome.errors.contains("Error"), "\(arguments): \(outcome.errors)")
        }
    }

    @Test func `The help and the documentation have the same table`() throws {
        let help = try rill("--help").text
        let table = help.split(separator: "\n").filter { $0.hasPrefix("  ") && $0.dropFirst(2).first?.isNumber == true }
        #expect(table.map { $0.split(separator: " ")[0] } == ["0", "1", "2", "3", "64", "130"])
        let article = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Documentation/Rill.docc/Transcoding.md").path
        let text = String(decoding: try read(article), as: UTF8.self)
        #expect(
            text.contains(table.joined(separator: "\n")),
            "the article on transcoding has another table than rill --help")
        #expect(try rill("transcode", "--help").text.contains(table.joined(separator: "\n")))
    }
}
