import Rill
import RillCore
import RillPages
import RillTestSupport
import Testing

@testable import RillCLI

@Suite struct JobResultTests {
    private func entry(_ name: String, _ part: Contestant.Part, cpu: [Double], frames: Int = 60) -> HeatResult.Entry {
        var entry = HeatResult.Entry(name: name, part: part, command: part == .again ? "floor" : name)
        entry.turns = cpu.map { Turn(cpuSeconds: $0, wallSeconds: $0, peakBytes: nil) }
        entry.work = Work(frames: frames)
        return entry
    }

    /// Rill takes 2 s; the floor and its like differ by at most 5 % in the middle half of the turns.
    private func job(_ rivals: [HeatResult.Entry]) -> JobResult {
        var heat = HeatResult(Heat(title: "one <thread> & more", measures: [.cpu, .memory], contestants: []))
        heat.entries =
            [entry("Rill", .ours, cpu: [2, 4, 2, 2, 2])] + rivals + [
                entry("floor", .floor, cpu: [1, 2, 1, 1, 1]),
                entry("floor, the same again", .again, cpu: [1.05, 2, 0.98, 1, 9]),
            ]
        heat.compareWork()
        return JobResult(name: "send", title: "Sending", explanation: ["x < y"], notices: [], heats: [heat])
    }

    @Test func `The scatter is how far the middle half of a command's own ratios strays from one`() throws {
        let scatter = job([]).heats[0].scatter(.cpu)
        #expect(abs(scatter - 0.05) < 1e-9)
        // Of memory nothing is known here: what is no difference in any case is left.
        #expect(job([]).heats[0].scatter(.memory) == Measure.memory.leastScatter)
    }

    @Test func `With few turns seconds have to differ by a tenth`() {
        var heat = HeatResult(Heat(title: "", measures: [.cpu], contestants: []))
        heat.entries = [
            entry("Rill", .ours, cpu: [1]), entry("a", .rival, cpu: [1.09]), entry("b", .rival, cpu: [1.11]),
            entry("floor", .floor, cpu: [1]), entry("again", .again, cpu: [1]),
        ]
        let job = JobResult(name: "", title: "", explanation: [], notices: [], heats: [heat])
        #expect(job.comparisons.map(\.verdict) == [.level, .ahead, nil])
    }

    @Test func `Verdicts are taken turn by turn against the scatter, and floors get none`() throws {
        // In the slow second turn all are slow.
        let rivals = [
            entry("slower", .rival, cpu: [2.2, 4.4, 2.2, 2.2, 2.2]),
            entry("as fast", .rival, cpu: [2.08, 4.16, 2.08, 2.08, 2.08]),
            entry("faster", .rival, cpu: [1.8, 3.6, 1.8, 1.8, 1.8]),
        ]
        let comparisons = job(rivals).comparisons
        #expect(comparisons.map(\.rival) == ["slower", "as fast", "faster", "floor"])
        #expect(comparisons.map(\.verdict) == [.ahead, .level, .behind, nil])
        #expect(abs(comparisons[0].ratio - 1.1) < 1e-9)
    }

    @Test func `Other work is not compared, and failures neither`() throws {
        var broken = entry("broken", .rival, cpu: [1])
        broken.failure = "it fell over"
        let job = job([entry("lazy", .rival, cpu: [1, 1, 1, 1, 1], frames: 59), broken])
        #expect(job.comparisons.map(\.rival) == ["floor"])
        #expect(job.remarks.contains { $0.contains("lazy") && $0.contains("59 pictures") })
        #expect(job.remarks.contains { $0.contains("it fell over") })
    }

    private func report(_ rivals: [HeatResult.Entry]) -> BenchReport {
        BenchReport(
            clip: "a clip <b>", resolution: .hd720, turns: 5, machine: [.init("processor", "one & only")], versions: [],
            jobs: [job(rivals)]
        )
    }

    @Test func `The page is well-formed, needs nothing but itself, and says where Rill stands`() throws {
        let rivals = [
            entry("slower", .rival, cpu: [2.2, 4.4, 2.2, 2.2, 2.2]),
            entry("faster", .rival, cpu: [1.8, 3.6, 1.8, 1.8, 1.8]),
        ]
        let page = BenchPage(report(rivals)).page.source
        let document = try MarkupDocument(page)
        for word in ["http:", "https:", "url(", "@import", "src=", "href="] { #expect(!page.contains(word), "\(word)") }
        let text = try #require(document.named("body").first).text
        #expect(text.contains("Of 2 comparisons Rill is ahead in 1, level in 0 and behind in 1."))
        #expect(text.contains("send, CPU seconds (one <thread> & more): Rill takes 1.11× what faster takes"))
        let verdicts = document.elements.filter { $0.attributes["class"]?.hasPrefix("verdict ") == true }
        #expect(verdicts.map(\.text) == ["1.10× Rill is ahead", "0.90× Rill is behind"])
        // A bar for each of them and the floor, in the colour of its verdict.
        let bars = document.named("path").compactMap { $0.attributes["class"] }.filter { $0.hasPrefix("bar") }
        #expect(bars == ["bar ink-green", "bar ink-red", "bar ink-blue"])
    }

    @Test func `A report without rivals says so, in words and on its page`() throws {
        let report = report([])
        #expect(report.headline == "Nobody was there to compare Rill with.")
        #expect(report.text.contains("Nobody was there"))
        _ = try MarkupDocument(BenchPage(report).page.source)
    }
}
