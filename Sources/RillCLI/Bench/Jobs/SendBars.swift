import Rill
import RillCore

/// What Rill promises of sending 1280x720, judged by what one run measured.
struct SendBars {
    private let job: JobResult

    /// - Parameter job: the result of ``SendBench``.
    init(_ job: JobResult) {
        self.job = job
    }

    /// Of each promise for which somebody was there to compare with.
    var bars: [Bar] {
        guard let single = job.heats.first, let double = job.heats.last, single.title != double.title else { return [] }
        var bars: [Bar] = []
        if let floor = comparison(single, .instructions, { $0.part == .floor }) {
            bars.append(Bar(name: "send, instructions over vpxenc's", figure: 1 / floor.ratio, limit: 1.035, unit: "×"))
        }
        for rival in single.entries where rival.part == .rival {
            guard let cpu = comparison(single, .cpu, { $0.rival == rival.name }) else { continue }
            bars.append(
                Bar(
                    name: "send, CPU seconds over \(rival.name)'s (what a command strays from itself is allowed)",
                    figure: 1 / cpu.ratio, limit: 1 + cpu.scatter, unit: "×"))
        }
        for (heat, threads, limit) in [(single, 1, 1.0), (double, 2, 0.9)] {
            guard let wall = comparison(heat, .wall, { $0.rival == "FFmpeg" }) else { continue }
            bars.append(
                Bar(
                    name: "send, wall time over FFmpeg's, encoder threads: \(threads)", figure: 1 / wall.ratio,
                    limit: limit, unit: "×"))
        }
        if let memory = single.entries.first?.sample(.memory) {
            bars.append(Bar(name: "send, peak memory", figure: memory.median / 1_048_576, limit: 45, unit: "MiB"))
        }
        return bars
    }

    private func comparison(_ heat: HeatResult, _ measure: Measure, _ isWanted: (Comparison) -> Bool) -> Comparison? {
        job.comparisons.first { $0.heat == heat.title && $0.measure == measure && isWanted($0) }
    }
}
