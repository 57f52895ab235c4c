import Rill
import RillCore
import Testing

@testable import RillCLI

struct JobListTests {
    private func jobs(_ text: String, _ common: String...) throws(BatchRefusal) -> [BatchJob] {
        try JobList.jobs(of: Array(text.utf8), path: "lists/jobs.txt", common: CommonWords(common))
    }

    @Test func `Each line is a job, with paths relative to the list`() throws {
        let jobs = try jobs(
            """
            \u{23} comment

            a.mp4 'out/a 1.webm' --low low.ivf --thumbnails th
            /clips/b.mkv /coded/b.ivf\r
            """)
        #expect(jobs.map(\.name) == ["lists/jobs.txt:3", "lists/jobs.txt:4"])
        #expect(jobs.map(\.job.input) == ["lists/a.mp4", "/clips/b.mkv"])
        #expect(jobs.map(\.job.output) == ["lists/out/a 1.webm", "/coded/b.ivf"])
        #expect(jobs[0].job.files.low == "lists/low.ivf" && jobs[0].job.files.thumbnails == "lists/th")
    }

    @Test func `A line's options win over those of the command line`() throws {
        let lines = """
            a.mp4 a.webm
            b.mp4 b.webm --codec vp8 --realtime --quality 20
            c.mp4 c.webm --bitrate=300k
            """
        let jobs = try jobs(
            lines, "--jobs", "jobs.txt", "--good", "--codec", "vp9", "--resume", "--bitrate", "1M", "--json",
            "--parallel=3", "--jobs=jobs.txt")
        let options = jobs.map(\.job.options)
        #expect(options.map(\.codec) == [.vp9, .vp8, .vp9])
        #expect(options.map(\.effort) == [.good, .realtime, .good])
        #expect(options.map(\.quality) == [nil, 20, nil])
        #expect(options.map(\.bitrate) == [.kilobits(1000), nil, .kilobits(300)])
        #expect(options.map(\.parallel) == [3, 3, 3])
    }

    @Test func `Every bad line is named with its reason`() {
        let text = """
            a.mp4 a.webm
            b.mp4
            c.mp4 c.mov
            d.mp4 d.webm --colour red
            'e.mp4 e.webm
            f.yuv f.ivf
            - g.ivf
            h.mp4 h.y4m --ladder
            i.mp4 i.ivf --help
            """
        let refusal = #expect(throws: BatchRefusal.self) { try jobs(text) }
        let reasons = [
            (2, "'<output>'"), (3, "c.mov: the name must end in"), (4, "--colour"), (5, "the quote ' is not closed"),
            (6, "--raw-size"), (7, "cannot use -, standard input"), (8, "--ladder"), (9, "not options of a job"),
        ]
        #expect(refusal?.problems.map(\.place) == reasons.map { "lists/jobs.txt:\($0.0)" })
        for (problem, reason) in zip(refusal?.problems ?? [], reasons) {
            #expect(problem.reason.contains(reason.1) && !problem.reason.contains("\n"), "\(problem)")
        }
        #expect(throws: BatchRefusal.self) { try jobs("# nothing\n") }
        #expect(throws: BatchRefusal.self) {
            try JobList.jobs(of: [0x61, 0xFF, 0x20, 0x62], path: "jobs.txt", common: CommonWords([]))
        }
    }

    @Test(arguments: [
        ("a.mp4 x.ivf\nb.mp4 ./x.ivf", "is also written by lists/jobs.txt:1"),
        ("a.mp4 x.webm --ladder\nb.mp4 x.half.webm", "is also written by lists/jobs.txt:1"),
        ("a.mp4 x.webm --thumbnails th\nb.mp4 y.webm --thumbnails th", "is also written by lists/jobs.txt:1"),
        (
            "a.mp4 x.2.y4m\nb.ivf x.y4m --split-sizes",
            "x.2.y4m may be one of its files, and is written by lists/jobs.txt:1"
        ),
        ("a.mp4 x.webm\nx.webm y.ivf", "is written by lists/jobs.txt:1: jobs have no order"),
    ])
    func `Jobs that touch each other's files are refused`(text: String, reason: String) throws {
        let jobs = try jobs(text)
        let refusal = #expect(throws: BatchRefusal.self) { try BatchPlan(jobs, manifestPath: "lists/jobs.txt.done") }
        #expect(refusal?.problems.map(\.place) == ["lists/jobs.txt:2"])
        #expect(refusal?.problems.first?.reason.contains(reason) == true, "\(String(describing: refusal))")
    }
}
