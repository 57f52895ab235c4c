import Foundation
import RillTestSupport
import Testing

/// `rill transcode` of many clips: what is made, what is said, how it ends, and what is done again.
@Suite struct BatchCommandTests {
    private let folder = TemporaryFolder()

    private struct Report: Decodable {
        struct Job: Decodable {
            struct Summary: Decodable { var framesRead: Int }
            var name: String
            var result: String
            var reason: String?
            var summary: Summary?
        }
        var jobs: [Job]
        var results: [String] { jobs.map(\.result) }
    }

    private func report(_ outcome: RunningProgram.Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.output))
    }

    /// A list of those lines.
    private func list(_ lines: String...) throws -> String {
        try write(Array(lines.joined(separator: "\n").utf8), to: folder.path("jobs.txt"))
        return folder.path("jobs.txt")
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func `A list's jobs are done as they would be alone`() throws {
        let clip = try movingClip(in: folder, frames: 40)
        let list = try list(
            "# three jobs", "'\(clip)' a.ivf --segments 2", "\(clip) 'b 2.webm' --codec vp8", "\(clip) c.y4m --fps 10")
        let outcome = try rill("transcode", "--jobs", list, "--codec", "vp9", "--parallel", "2")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").filter { $0.hasPrefix("done: ") }.count == 3)
        let rows = outcome.errors.split(separator: "\n").filter { $0.contains("jobs.txt:") && $0.hasSuffix("done") }
        #expect(rows.count == 3 && rows.contains { $0.contains("c.y4m") && $0.contains("14") }, "\(outcome.errors)")
        for (output, options) in [
            ("a.ivf", ["--segments", "2", "--codec", "vp9"]), ("b 2.webm", ["--codec", "vp8"]),
            ("c.y4m", ["--fps", "10"]),
        ] {
            let alone = folder.path("alone-\(output)")
            #expect(try rillProgram().run(["transcode", clip, alone] + options).status == 0)
            #expect(try read(folder.path(output)) == read(alone), "\(output)")
        }
    }

    @Test func `What fails is listed, and the rest is done`() throws {
        let clip = try movingClip(in: folder, frames: 20)
        try write(Array(try read(clip).dropLast(5)), to: folder.path("cut.y4m"))
        let unreadable = "nothing.y4m b.ivf"
        let unwritable = "\(clip) no/such/c.ivf"
        var outcome = try rill(
            "transcode", "--jobs", try list("\(clip) a.ivf", unreadable, "cut.y4m d.ivf", unwritable), "--json")
        #expect(outcome.status == 1, "\(outcome.errors)")
        var report = try report(outcome)
        #expect(report.results == ["done", "failed", "partial", "failed"])
        #expect(report.jobs[1].reason?.contains("nothing.y4m") == true)
        #expect(report.jobs[2].summary?.framesRead == 19)
        #expect(report.jobs[3].reason == "\(folder.path("no/such/c.ivf")): no such file or folder; check the path")
        // Without the gravest one it is the next that counts.
        outcome = try rill("transcode", "--jobs", try list("\(clip) a.ivf", unreadable, "cut.y4m d.ivf"), "--json")
        #expect(outcome.status == 2)
        outcome = try rill("transcode", "--jobs", try list("\(clip) a.ivf", "cut.y4m d.ivf"), "--json")
        #expect(outcome.status == 3)
        // What was done in part is not done again, and still only a part.
        outcome = try rill("transcode", "--jobs", folder.path("jobs.txt"), "--json", "--resume")
        report = try self.report(outcome)
        #expect(outcome.status == 3 && report.results == ["skipped", "skipped"])
        #expect(report.jobs[1].reason?.hasPrefix("done before, partial: the clip ended early") == true)
    }

    @Test func `Errors in a list are reported before anything is done`() throws {
        let clip = try movingClip(in: folder, frames: 3)
        let before = try names(in: folder.root) + ["jobs.txt"]
        let outcome = try rill(
            "transcode", "--jobs", try list("\(clip) a.ivf", "\(clip) b.mov", "\(clip) ../x/../a.ivf"))
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains("jobs.txt:2: b.mov: the name must end in"), "\(outcome.errors)")
        let same = try rill("transcode", "--jobs", try list("\(clip) a.ivf", "\(clip) ./a.ivf"))
        #expect(same.status == 64 && same.errors.contains("jobs.txt:2: "), "\(same.errors)")
        #expect(try names(in: folder.root) == before.sorted())
    }

    @Test(arguments: [
        (["--jobs", "list", "a.y4m"], "--jobs names all clips"), (["--jobs", "list", "--to", "ivf"], "--jobs names"),
        (["/etc/passwd", "b", "--to", "ivf"], "two folders"), (["--jobs", "list", "--recursive"], "--jobs names"),
        (["/tmp", "b.ivf"], "add --to webm"), (["/tmp", "/tmp", "--to", "ivf"], "is the folder of the clips"),
        (["a.y4m", "b.ivf", "--resume"], "--resume"), (["--jobs", "list", "--low", "l.ivf"], "put them into the list"),
        (["a.y4m"], "Missing expected argument '<output>'"), ([], "Missing expected argument '<input>'"),
    ])
    func `Wrong arguments are refused by name`(arguments: [String], word: String) throws {
        let outcome = try rillProgram().run(["transcode"] + arguments)
        #expect(outcome.status == 64 && outcome.errors.contains(word), "\(arguments): \(outcome.errors)")
    }

    @Test func `Resuming processes only what has changed`() throws {
        let (one, two) = (folder.path("one.y4m"), folder.path("two.y4m"))
        for (path, frames) in [(one, 20), (two, 25)] {
            try write(read(movingClip(in: folder, frames: frames)), to: path)
        }
        let lines = ["one.y4m a.ivf", "two.y4m b.ivf --ladder", "one.y4m c.webm --thumbnails th"]
        let list = try list(lines[0], lines[1], lines[2])
        func resume(_ more: String...) throws -> [String] {
            let outcome = try rillProgram().run(["transcode", "--jobs", list, "--json", "--resume"] + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try report(outcome).results
        }
        #expect(try resume() == ["done", "done", "done"])
        // Neither the number of threads nor another spelling of the options changes a byte.
        #expect(try resume("--parallel", "1", "--codec", "vp8") == ["skipped", "skipped", "skipped"])
        // A file of a job is gone, or has another length.
        try FileManager.default.removeItem(atPath: folder.path("b.low.ivf"))
        try write([1, 2, 3], to: folder.path("th/00-00-00.000.png"))
        #expect(try resume() == ["skipped", "done", "done"])
        // An input is another one, an option too.
        try write(read(movingClip(in: folder, frames: 22)), to: two)
        _ = try self.list(lines[0] + " --fps 10", lines[1], lines[2])
        #expect(try resume() == ["done", "done", "skipped"])
        // A torn line is none, and does not spoil the next.
        let manifest = try read(list + ".done")
        try write(Array(manifest.dropLast(40)), to: list + ".done")
        #expect(try resume().sorted() == ["done", "skipped", "skipped"])
        #expect(try resume() == ["skipped", "skipped", "skipped"])
        // Noise is not believed.
        try write(Array("no JSON\n{}\n".utf8) + [0xFF, 0x00, 0x0A] + read(list + ".done"), to: list + ".done")
        #expect(try resume() == ["skipped", "skipped", "skipped"])
        // Without --resume everything restarts.
        let second = try rill("transcode", "--jobs", list, "--json")
        #expect(try report(second).results == ["done", "done", "done"])
        #expect(try read(list + ".done").filter { $0 == 0x0A }.count == 3)
    }

    @Test func `Two at once do not do the same batch`() throws {
        let list = try list("\(try movingClip(in: folder, frames: 3)) a.ivf")
        let manifest = unsafe open(list + ".done", O_RDWR | O_CREAT, 0o600)
        try #require(manifest >= 0 && lockf(manifest, F_TLOCK, 0) == 0)
        let second = try rill("transcode", "--jobs", list, "--resume")
        #expect(second.status == 1 && second.errors.contains("is in use: another rill"), "\(second.errors)")
        close(manifest)
        #expect(try rill("transcode", "--jobs", list, "--resume").status == 0)
    }

    @Test func `The clips of a folder keep their names`() throws {
        let clips = folder.path("clips")
        try FileManager.default.createDirectory(atPath: clips + "/more", withIntermediateDirectories: true)
        let clip = try read(movingClip(in: folder, frames: 10))
        for name in ["a.y4m", "b b.Y4M", "more/c.y4m", ".hidden.y4m"] { try write(clip, to: "\(clips)/\(name)") }
        try write([1], to: clips + "/notes.txt")
        let flat = try rill("transcode", clips, folder.path("flat"), "--to", "ivf", "--fps", "10")
        #expect(flat.status == 0 && flat.errors.contains("not clips: 1"), "\(flat.errors)")
        #expect(try names(in: folder.path("flat")) == ["a.ivf", "b b.ivf", "rill-transcode.done"])
        // The outputs may lie below the clips.
        let below = clips + "/coded"
        for _ in 0..<2 {
            let deep = try rill("transcode", clips, below, "--to", "webm", "--recursive", "--resume", "--json")
            #expect(deep.status == 0, "\(deep.errors)")
            #expect(try report(deep).jobs.map(\.name) == ["a.y4m", "b b.Y4M", "more/c.y4m"])
        }
        #expect(try names(in: below) == ["a.webm", "b b.webm", "more", "rill-transcode.done"])
        // Two that would become one.
        try write([], to: clips + "/a.mp4")
        let same = try rill("transcode", clips, folder.path("same"), "--to", "ivf")
        #expect(same.status == 64 && same.errors.contains("has the same output as a.mp4"), "\(same.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("same")))
    }

    @Test func `Control-C ends all and keeps finished files`() throws {
        let (short, long) = (
            try movingClip(in: folder, frames: 5), try movingClip(in: folder, frames: 600, width: 160, height: 120)
        )
        let list = try list(
            "\(short) a.ivf", "\(long) b.ivf --good --codec vp9", "\(long) c.ivf --good --codec vp9", "\(short) d.ivf")
        let program = try rillProgram().start(["transcode", "--jobs", list, "--parallel", "1", "--json"], limit: 120)
        let deadline = Date.now + 60
        while try !names(in: folder.root).contains(".b.ivf.part"), Date.now < deadline { usleep(10_000) }
        program.interrupt()
        let outcome = try program.wait()
        #expect(outcome.status == 130, "\(outcome.errors)")
        #expect(try report(outcome).results == ["done", "interrupted", "interrupted", "interrupted"])
        #expect(try names(in: folder.root).filter { $0.hasSuffix(".ivf") || $0.hasSuffix(".part") } == ["a.ivf"])
        #expect(try read(list + ".done").filter { $0 == 0x0A }.count == 1)
    }
}
