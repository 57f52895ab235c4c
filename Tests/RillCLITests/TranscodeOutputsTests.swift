import Foundation
import RillTestSupport
import Testing

/// What `rill transcode` writes beside its output, how it ends, and what it leaves behind.
@Suite struct TranscodeOutputsTests {
    private let folder = TemporaryFolder()

    private var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.root)) }
    }

    /// Encoders with several threads wait for each other: without processors of their own they only cost.
    @Test func `Segments and threads beyond the processors are limited, and that is reported`() throws {
        let clip = try movingClip(in: folder, frames: 40)
        let words = ["--segments", "4", "--threads", "2", "--parallel", "4"]
        let arguments = ["transcode", clip, folder.path("out.ivf")] + words
        let all = try rillProgram().run(arguments)
        let bytes = try read(folder.path("out.ivf"))
        let taskset = try #require(Program(named: "taskset"))
        let one = try taskset.run(["-c", "0", try rillProgram().path] + arguments)
        #expect(all.status == 0 && one.status == 0, "\(one.errors)")
        let notice = "1 at a time: each encoder has 2 threads, and this process may use 1 processor\n"
        #expect(one.errors.contains(notice), "\(one.errors)")
        #expect(try read(folder.path("out.ivf")) == bytes)
        let single = try taskset.run(
            ["-c", "0", try rillProgram().path, "transcode", clip, folder.path("out.ivf"), "--segments", "4"])
        #expect(single.status == 0 && !single.errors.contains("at a time"), "\(single.errors)")
        let many = try taskset.run(
            ["-c", "0", try rillProgram().path, "transcode", clip, folder.path("out.ivf"), "--threads", "2"])
        #expect(many.errors.contains("1 processor: more threads than that take more time"), "\(many.errors)")
    }

    @Test func `One pass gives the ladder, the pictures and the thumbnails`() throws {
        let clip = try movingClip(in: folder, frames: 60, width: 480, height: 360)
        let outcome = try rill(
            "transcode", clip, folder.path("out.ivf"), "--ladder", "--pictures", folder.path("all.y4m"),
            "--low-pictures", folder.path("low.y4m"), "--thumbnails", folder.path("th"), "--thumbnail-interval", "1s",
            "--psnr", "--json")
        try #require(outcome.status == 0, "\(outcome.errors)")
        struct Summary: Decodable {
            struct Output: Decodable {
                var path: String
                var resolution: String
                var frames: Int
                var psnr: Double?
            }
            var outputs: [Output]
        }
        let summary = try JSONDecoder().decode(Summary.self, from: Data(outcome.output))
        let rows = summary.outputs.map {
            "\(URL(filePath: $0.path).lastPathComponent) \($0.resolution) \($0.frames)\($0.psnr == nil ? "" : " dB")"
        }
        #expect(
            rows == [
                "out.ivf 480x360 60 dB", "out.half.ivf 240x180 60 dB", "out.low.ivf 160x120 10 dB",
                "all.y4m 480x360 60", "low.y4m 160x120 10", "th 320x240 2",
            ])
        #expect(summary.outputs.allSatisfy { $0.psnr ?? 30 > 20 })
        let thumbnails = try FileManager.default.contentsOfDirectory(atPath: folder.path("th")).sorted()
        #expect(thumbnails == ["00-00-00.000.png", "00-00-01.000.png", "contact-sheet.png"])
        // The steps are coded as they would be alone.
        #expect(try rill("transcode", clip, folder.path("alone.ivf")).status == 0)
        #expect(try read(folder.path("alone.ivf")) == read(folder.path("out.ivf")))
        #expect(try names.allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: ["--realtime", "--good"])
    func `Segments of a container are the same by any number of threads`(effort: String) throws {
        let clip = folder.path("clip.mp4")
        try Peer.ffmpeg.run(
            "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=30:duration=2", "-c:v",
            "libx264", "-g", "20", "-pix_fmt", "yuv420p", clip)
        let runs = try ["1", "2", "3"].map { threads in
            let out = folder.path("\(threads).ivf")
            let outcome = try rill("transcode", clip, out, "--segments", "3", "--parallel", threads, effort)
            #expect(outcome.status == 0 && outcome.errors.contains("3 segments"), "\(outcome.errors)")
            return try read(out)
        }
        #expect(runs[0] == runs[1] && runs[0] == runs[2])
        let inspection = try rill("inspect", folder.path("1.ivf")).text
        #expect(inspection.contains("60"), "\(inspection)")
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `Segments with a ladder and thumbnails are the same by any number of threads`() throws {
        let clip = folder.path("clip.mp4")
        try Peer.ffmpeg.run(
            "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=480x360:rate=30:duration=2", "-c:v",
            "libx264", "-g", "10", "-pix_fmt", "yuv420p", clip)
        let runs = try ["1", "2", "5"].map { threads in
            let place = folder.path("threads-\(threads)")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let outcome = try rill(
                "transcode", clip, "\(place)/out.webm", "--segments", "4", "--parallel", threads, "--ladder",
                "--thumbnails", "\(place)/th", "--thumbnail-interval", "300ms", "--pictures", "\(place)/all.y4m",
                "--low-pictures", "\(place)/low.y4m")
            #expect(outcome.status == 0 && outcome.errors.contains("4 segments"), "\(outcome.errors)")
            var files: [String: [UInt8]] = [:]
            for path in try FileManager.default.subpathsOfDirectory(atPath: place) where path.contains(".") {
                files[path] = try read("\(place)/\(path)")
            }
            return files
        }
        // The clip in three sizes, its pictures in two; seven pictures in 2 s, and the sheet.
        #expect(runs[0].count == 3 + 2 + 8, "\(runs[0].keys.sorted())")
        #expect(!runs[0].keys.contains { $0.hasSuffix(".part") })
        #expect(runs[0] == runs[1] && runs[0] == runs[2])
    }

    @Test(
        .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"),
        arguments: [
            ("webm", ["-c:v", "libvpx", "-c:a", "libopus"]), ("mkv", ["-c:v", "libx264", "-c:a", "flac"]),
            ("mp4", ["-c:v", "libx264", "-c:a", "aac", "-movflags", "+faststart"]),
            ("avi", ["-c:v", "mpeg4", "-c:a", "libmp3lame"]),
            ("ts", ["-c:v", "mpeg2video", "-r", "25", "-c:a", "mp2"]),
        ])
    func `The start of a truncated file is saved, with a warning`(container: String, options: [String])
        throws
    {
        let whole = folder.path("whole.\(container)")
        try Peer.ffmpeg.run(
            [
                "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=25:duration=4", "-f",
                "lavfi", "-i",
                "sine=duration=4",
            ] + options + ["-pix_fmt", "yuv420p", "-g", "10", whole])
        let out = folder.path("out.ivf")
        let good = try rill("transcode", whole, out)
        #expect(good.status == 0 && good.errors.contains("read 100 frames"), "\(good.errors)")
        let bytes = try read(whole)
        let cut = folder.path("cut.\(container)")
        try write(Array(bytes.prefix(bytes.count / 2 + 1)), to: cut)
        for segments in ["1", "2"] {
            let outcome = try rill("transcode", cut, out, "--segments", segments)
            #expect(outcome.status == 3, "\(container): \(outcome.errors)")
            #expect(
                outcome.errors.contains("the file is cut off: of ")
                    && outcome.errors.contains("\(bytes.count / 2 + 1)"),
                "\(container): \(outcome.errors)")
            #expect(try rill("inspect", out).status == 0)
        }
    }

    @Test func `Unreadable input is reported, and nothing is written`() throws {
        try write([], to: folder.path("empty.y4m"))
        try write(Array("no clip at all, but some words".utf8), to: folder.path("words.mp4"))
        try write(Array("YUV4MPEG2 W64 H48 F30:1\n".utf8), to: folder.path("none.y4m"))
        try write(Array("YUV4MPEG2 W64 H48 F30:1\nFRAME\nand no more".utf8), to: folder.path("cut.y4m"))
        let there = ["cut.y4m", "empty.y4m", "none.y4m", "words.mp4"]
        for input in there + ["nothing.mp4", "nothing.ivf"] {
            let outcome = try rill("transcode", folder.path(input), folder.path("out.ivf"))
            #expect(outcome.status == 2, "\(input): \(outcome.errors)")
            #expect(outcome.errors.contains("Error: \(folder.path(input))"), "\(input): \(outcome.errors)")
        }
        #expect(try names.sorted() == there)
    }

    @Test func `An output that cannot be created is reported`() throws {
        let clip = try movingClip(in: folder, frames: 3)
        for name in ["out.ivf", "out.webm", "out.y4m", "out.yuv", "out.png"] {
            let path = folder.path("no/such/\(name)")
            let outcome = try rill("transcode", clip, path)
            #expect(outcome.status == 1, "\(outcome.errors)")
            // By the name that it was to have, not by the one that it has until it is whole.
            #expect(outcome.errors == "Error: \(path): no such file or folder; check the path\n")
        }
        // A file stands where a folder is wanted.
        let below = clip + "/out.ivf"
        let outcome = try rill("transcode", clip, below)
        #expect(outcome.errors == "Error: \(below): cannot be opened: Not a directory (errno 20)\n")
    }

    @Test func `Two passes need a file`() throws {
        let clip = try movingClip(in: folder, frames: 3)
        let outcome = try rill("transcode", "-", folder.path("out.ivf"), "--good", input: clip)
        #expect(outcome.status == 64 && outcome.errors.contains("--good reads the clip twice"), "\(outcome.errors)")
    }

    @Test func `Control-C leaves no file`() throws {
        // Thousands of small pictures in two passes: long enough to be interrupted, without waiting for the end.
        let clip = try movingClip(in: folder, frames: 600, width: 160, height: 120)
        let before = try names
        let program = try rillProgram().start(
            ["transcode", clip, folder.path("out.ivf"), "--good", "--codec", "vp9", "--thumbnails", folder.path("th")],
            limit: 60)
        let deadline = Date.now + 20
        while try !names.contains(".out.ivf.part"), Date.now < deadline { usleep(10_000) }
        usleep(200_000)
        program.interrupt()
        let outcome = try program.wait()
        #expect(outcome.status == 130, "\(outcome.errors)")
        #expect(outcome.errors.contains("interrupted: no output was written"), "\(outcome.errors)")
        #expect(try names.subtracting(before) == ["th"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("th")).isEmpty)
    }

    @Test(arguments: [
        (["c.y4m", "o.y4m", "--ladder"], "--ladder"),
        (["c.y4m", "o.ivf", "--ladder", "--low", "l.ivf"], "--ladder"),
        (["c.y4m", "o.ivf", "--pictures", "p.ivf"], "p.ivf: the name of a file of pictures must end in .y4m"),
        (["c.y4m", "o.ivf", "--quality", "64"], "--quality must be from 0"),
        (["c.y4m", "o.ivf", "--quality", "20", "--bitrate", "1M"], "--quality sets"),
        (["c.y4m", "o.ivf", "--segments", "0"], "not a number of segments"),
        (["c.y4m", "o.ivf", "--parallel", "0"], "--parallel"),
        (["c.y4m", "o.ivf", "--good", "--realtime"], "good"),
        (["c.y4m", "-", "--psnr"], "--psnr"),
        (["c.half.ivf", "c.ivf", "--ladder"], "same file"),
    ])
    func `Wrong arguments are refused by name`(arguments: [String], word: String) throws {
        let outcome = try rillProgram().run(["transcode"] + arguments)
        #expect(outcome.status == 64, "\(arguments)")
        #expect(outcome.errors.contains(word), "\(arguments): \(outcome.errors)")
    }
}
