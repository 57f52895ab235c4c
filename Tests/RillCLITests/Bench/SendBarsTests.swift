import Rill
import RillCore
import Testing

@testable import RillCLI

@Suite struct SendBarsTests {
    private func entry(
        _ name: String, _ part: Contestant.Part, seconds: Double, instructions: Int? = nil, megabytes: Int = 40
    ) -> HeatResult.Entry {
        var entry = HeatResult.Entry(name: name, part: part, command: part == .again ? "vpxenc" : name)
        entry.turns = (0..<5).map { _ in
            Turn(cpuSeconds: seconds, wallSeconds: seconds, peakBytes: megabytes << 20)
        }
        entry.instructions = instructions
        entry.work = Work(frames: 60)
        return entry
    }

    private func heat(_ title: String, _ measures: [Measure], _ entries: [HeatResult.Entry]) -> HeatResult {
        var heat = HeatResult(Heat(title: title, measures: measures, contestants: []))
        heat.entries = entries
        heat.compareWork()
        return heat
    }

    private func report(ours: Double, double: Double, instructions: Int, megabytes: Int, size: Resolution)
        -> BenchReport
    {
        let single = heat(
            "one encoder thread", [.instructions, .cpu, .wall, .memory],
            [
                entry("Rill", .ours, seconds: ours, instructions: instructions, megabytes: megabytes),
                entry("FFmpeg", .rival, seconds: 2), entry("GStreamer", .rival, seconds: 2.5),
                entry("vpxenc", .floor, seconds: 1.9, instructions: 1_000_000),
                entry("vpxenc again", .again, seconds: 1.95),
            ])
        let two = heat(
            "two encoder threads", [.cpu, .wall, .memory],
            [entry("Rill", .ours, seconds: double), entry("FFmpeg", .rival, seconds: 2)])
        let job = JobResult(name: "send", title: "", explanation: [], notices: [], heats: [single, two])
        return BenchReport(clip: "", resolution: size, turns: 5, machine: [], versions: [], jobs: [job])
    }

    @Test func `What is kept is met`() {
        let bars = report(ours: 2, double: 1.8, instructions: 1_034_900, megabytes: 45, size: .hd720).bars
        #expect(bars.map(\.isMet) == [true, true, true, true, true, true])
        #expect(abs((bars[0].figure ?? 0) - 1.0349) < 1e-9)
        #expect([bars[0], bars[3], bars[4], bars[5]].map(\.limit) == [1.035, 1, 0.9, 45])
    }

    @Test func `What is not kept is missed`() {
        let bars = report(ours: 2.6, double: 1.81, instructions: 1_035_100, megabytes: 46, size: .hd720).bars
        #expect(bars.map(\.isMet) == [false, false, false, false, false, false])
    }

    @Test func `A little more than FFmpeg takes is forgiven as far as a command strays from itself`() {
        // vpxenc strays by 2.6 % here.
        let bars = report(ours: 2.05, double: 1.8, instructions: 1_034_900, megabytes: 45, size: .hd720).bars
        #expect(bars.map(\.isMet) == [true, true, true, false, true, true])
    }

    @Test func `Of another size nothing is promised`() {
        #expect(report(ours: 2, double: 1.8, instructions: 1, megabytes: 1, size: .vga).bars.isEmpty)
    }

    @Test(
        arguments: [
            (9.8, 15, "%", "9.800 %, at most 15 %: met"), (1.0361, 1.035, "×", "1.036×, at most 1.035×: missed"),
            (0, 0, "frames", "0 frames: met"), (nil, 1, "ms", "nothing was measured: missed"),
        ] as [(Double?, Double, String, String)])
    func `A bar says its figure, its limit and whether it is met`(
        figure: Double?, limit: Double, unit: String, words: String
    ) {
        #expect(Bar(name: "a", figure: figure, limit: limit, unit: unit).text == "a: " + words)
    }
}
