import Glibc
import Workloads

/// Does one workload, and nothing else: what `thresholds` and `throughput` measure, and `rtp`, `pictures` and `receive`.
///
///     workload prepare --folder F [--clip CLIP.y4m]
///     workload list --folder F
///     workload run NAME --folder F [--count N] [--turns N] [--turn-time MS]
///
/// `prepare` writes what the others work on. `list` gives all workloads. `run` does the work as often as `--count` says, or as
/// often as takes `--turn-time` but at least five times its own count, and prints a line for each turn: nanoseconds, cycles
/// and instructions of one of the things counted, and 0 for what the machine does not count.
@main
struct WorkloadRunner {
    static func main() {
        do {
            try run(Options(Array(CommandLine.arguments.dropFirst())))
        } catch {
            let text = "workload: \(error)\n"
            // Where even this fails, the exit code still tells.
            _ = write(STDERR_FILENO, text, text.utf8.count)
            exit(error is WrongUse ? 2 : 1)
        }
    }

    private static func run(_ options: Options) throws {
        switch options.verb {
        case .prepare: try Material.prepare(in: options.folder, clip: options.clip)
        case .list: list(try Material(folder: options.folder))
        case .run(let name):
            guard let workload = Workload.all.first(where: { $0.wholeName == name }) else {
                throw WrongUse("no workload \(name); `list` names them")
            }
            try measure(workload, options)
        }
    }

    /// Name, unit, pixels, count and floor of each, a line for each, `-` for none.
    private static func list(_ material: Material) {
        for workload in Workload.all {
            print(
                workload.wholeName, workload.unit.rawValue, workload.unit.pixelCount(in: material), workload.count,
                workload.floor ?? "-")
        }
    }

    private static func measure(_ workload: Workload, _ options: Options) throws {
        let work = try workload.setUp(Material(folder: options.folder))
        let counter = CycleCounter()
        var sum = 0
        var count = options.count ?? workload.count
        if let time = options.turnTime {
            sum &+= try work(workload.count)  // the first time is slower
            let once = try measured(counter, workload.count) { sum &+= try work($0) }
            // A whole session, begun anew in each turn, would spend a short one on its beginning.
            count = max(5 * workload.count, Int(1e6 * Double(time) / once.nanoseconds))
        }
        for _ in 0..<options.turns {
            let turn = try measured(counter, count) { sum &+= try work($0) }
            print(turn.nanoseconds, turn.cycles, turn.instructions)
        }
        // Whoever looks at the result cannot have left out the work.
        if sum == 42 { print("the answer") }
    }

    /// What one of `count` things took.
    private static func measured(
        _ counter: CycleCounter, _ count: Int, _ body: (Int) throws -> Void
    ) throws -> (nanoseconds: Double, cycles: Double, instructions: Double) {
        let (before, begin) = (counter.read(), ContinuousClock.now)
        try body(count)
        let (duration, after) = (ContinuousClock.now - begin, counter.read())
        let nanoseconds = Double(duration.components.attoseconds) / 1e9 + Double(duration.components.seconds) * 1e9
        let counted = after.flatMap { after in before.map { after - $0 } }
        return (
            nanoseconds / Double(count), Double(counted?.cycles ?? 0) / Double(count),
            Double(counted?.instructions ?? 0) / Double(count)
        )
    }
}
