import Foundation
import RillTestSupport
import Testing

@Suite struct BenchCommandTests {
    private let folder = TemporaryFolder()

    private struct Report: Decodable {
        struct Job: Decodable {
            var name: String
            var notices: [String]
            var heats: [Heat]
        }
        struct Heat: Decodable {
            var title: String
            var entries: [Entry]
        }
        struct Entry: Decodable {
            struct Work: Decodable {
                var frames: Int
                var codedBytes: Int?
            }
            struct Turn: Decodable {
                var cpuSeconds: Double
                var wallSeconds: Double
            }
            var name: String
            var part: String
            var turns: [Turn]
            var work: Work?
            var failure: String?
        }
        var jobs: [Job]
    }

    private func report(_ arguments: [String], path: String? = nil) throws -> Report {
        var program = try rillProgram()
        if let path { program.environment["PATH"] = path }
        let outcome = try program.run(["bench"] + arguments + ["--json", "--no-instructions"])
        guard outcome.status == 0 else { throw TestFailure("\(arguments): \(outcome.errors)") }
        return try JSONDecoder().decode(Report.self, from: Data(outcome.output))
    }

    @Test func `Where no rival is installed Rill runs alone, and says who is missing`() throws {
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let page = folder.path("bench.html")
        let report = try report(
            ["send", "receive", "transcode", "beauty", clip, "--turns", "2", "--html", page], path: folder.root)
        #expect(report.jobs.map(\.name) == ["send", "receive", "transcode", "beauty"])
        for job in report.jobs {
            #expect(job.notices.contains { $0.contains("FFmpeg is not installed") }, "\(job.name)")
            for entry in job.heats.flatMap(\.entries) {
                #expect(entry.part != "rival" && entry.part != "floor", "\(job.name) \(entry.name)")
                #expect(entry.failure == nil, "\(job.name) \(entry.name): \(entry.failure ?? "")")
                #expect(entry.turns.count == 2, "\(job.name) \(entry.name)")
                // What is subtracted from the filter's time may be all of it here; every other job takes time.
                #expect(job.name == "beauty" || entry.turns.allSatisfy { $0.wallSeconds > 0 })
                let frames = 12
                #expect(entry.work?.frames == frames, "\(job.name) \(entry.name)")
            }
        }
        let document = try MarkupDocument(String(decoding: try read(page), as: UTF8.self))
        #expect(document.named("h2").count == 6)
    }

    @Test(
        .enabled(
            if: Peer.ffmpeg.isInstalled && Peer.gstreamer.isInstalled && Peer.vpxenc.isInstalled,
            "ffmpeg, gstreamer or vpxenc is not installed"),
        arguments: ["send", "receive", "transcode", "beauty"])
    func `All rivals that are installed do the same work`(job: String) throws {
        let clip = try movingClip(in: folder, frames: 30, width: 320, height: 240)
        let report = try report([job, clip, "--turns", "1"])
        let entries = try #require(report.jobs.first).heats.flatMap(\.entries)
        #expect(report.jobs.count == 1 && report.jobs.first?.notices == [])
        let rivals = entries.filter { $0.part == "rival" }
        #expect(rivals.contains { $0.name.hasPrefix("FFmpeg") })
        #expect(rivals.contains { $0.name == "GStreamer" } == ["send", "receive"].contains(job))
        for entry in entries {
            #expect(entry.failure == nil, "\(entry.name): \(entry.failure ?? "")")
            #expect(entry.work?.frames == 30, "\(entry.name)")
            if ["send", "transcode"].contains(job) { #expect(entry.work?.codedBytes ?? 0 > 1000, "\(entry.name)") }
        }
    }

    @Test func `A rival that fails is told of, and the others go on`() throws {
        // A program of that name that does nothing.
        for name in ["ffmpeg", "vpxenc"] {
            try write(Array("#!/bin/sh\necho no such codec\nexit 3\n".utf8), to: folder.path(name))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(name))
        }
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let entries = try #require(try report(["send", clip, "--turns", "1"], path: folder.root).jobs.first).heats
            .flatMap(\.entries)
        let failed = entries.filter { $0.failure != nil }
        #expect(
            failed.map(\.name).sorted() == [
                "FFmpeg", "FFmpeg", "vpxenc, high stream alone", "vpxenc, high stream alone, the same again",
            ])
        #expect(failed.allSatisfy { $0.failure?.contains("no such codec") == true })
        #expect(entries.filter { $0.part == "ours" }.allSatisfy { $0.turns.count == 1 })
    }

    @Test func `Nothing of the run stays behind`() throws {
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let place = folder.path("temporary")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        var program = try rillProgram()
        program.environment = program.environment.merging(["TMPDIR": place, "PATH": folder.root]) { $1 }
        let outcome = try program.run(["bench", "beauty", clip, "--turns", "1"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("Nobody was there"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
    }

    /// What is measured, and the file that is there once it is.
    @Test(
        arguments: [("receive", "packets.rtpdump"), ("latency", "latency-idle"), ("scale", "senders")], [false, true])
    func `Ctrl-C ends what is measured at once, SIGTERM to it alone too, and nothing stays behind`(
        job: (name: String, file: String), isAlone: Bool
    ) throws {
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let (place, page) = (folder.path("temporary"), folder.path("page.html"))
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        var program = try rillProgram()
        program.environment["TMPDIR"] = place
        let running = try program.start([
            "bench", job.name, clip, "--duration", "60min", "--seconds", "3600", "--turns", "999", "--no-instructions",
            "--html",
            page,
        ])
        func isMeasuring() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: place).contains {
                FileManager.default.fileExists(atPath: "\(place)/\($0)/\(job.file)")
            }
        }
        while try !isMeasuring(), !running.hasEnded { usleep(10_000) }
        if isAlone { try running.terminate() } else { running.interrupt() }
        let outcome = try running.wait()
        #expect(outcome.status == 130, "\(outcome.status): \(outcome.errors)")
        #expect(outcome.errors == "" && outcome.text == "")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        #expect(!FileManager.default.fileExists(atPath: page))
    }

    @Test(arguments: [
        ["nothing", "clip.y4m"], ["send", "a.y4m", "b.y4m"], ["--turns", "0"], ["--frames", "5"], ["send", "-"],
        ["--html", "page.txt"], ["latency", "a", "b"], ["send", "a.html", "--html", "a.html"],
    ])
    func `Wrong arguments are refused`(arguments: [String]) throws {
        #expect(try rillProgram().run(["bench"] + arguments).status == 64, "\(arguments)")
    }

    @Test func `A clip that is too small for all is refused by name`() throws {
        let clip = try movingClip(in: folder, frames: 6)
        let outcome = try rill("bench", "beauty", clip)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("64x48"), "\(outcome.errors)")
    }
}
