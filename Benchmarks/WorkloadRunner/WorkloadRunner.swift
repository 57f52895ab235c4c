import Arguments
import Counters
import Glibc
import Machine
import Workloads

/// Runs a single workload, with which `Scripts/bench` measures single stages.
///
///     workload prepare --folder F [--clip CLIP.y4m]
///     workload list --folder F
///     workload run --name NAME --folder F [--iterations N] [--time MS] [--count N]
///
/// `prepare` writes the input of the others. `list` prints all workloads. `run` repeats the work `--count` times, or as
/// often as fits into `--time` but at least five times its own count, and prints a line for each iteration:
/// nanoseconds, cycles and instructions per unit of work, or 0 if the machine does not count them.
@main
enum WorkloadRunner {
    static func main() {
        Arguments.run("workload") { arguments in
            switch arguments.verb {
            case "prepare": try Material.prepare(in: arguments["folder"], clip: arguments.optional("clip"))
            case "list": list(try Material(folder: arguments["folder"]))
            case "run": try runOnOwnThread { try measure(arguments) }
            default: throw WrongUse("no verb \(arguments.verb): expected prepare, list or run")
            }
        }
    }

    /// Prints a line for each workload: name, unit, pixels, count, floor and what is counted, `-` for none.
    private static func list(_ material: Material) {
        for workload in Workload.all {
            print(
                workload.wholeName, workload.unit.rawValue, workload.unit.pixelCount(in: material), workload.count,
                workload.floor ?? "-", workload.counted ?? "-")
        }
    }

    private static func measure(_ arguments: Arguments) throws {
        let name = try arguments["name"]
        guard let workload = Workload.all.first(where: { $0.wholeName == name }) else {
            throw WrongUse("no workload \(name); `list` prints them")
        }
        // The paths of its files are as long wherever the folder is.
        let folder = try arguments["folder"]
        guard chdir(folder) == 0 else { throw WrongUse("there is no folder \(folder)") }
        let work = try workload.setUp(Material(folder: "."))
        // In user mode, which needs no permission.
        let counters = [CPerfEvents_cycles, CPerfEvents_instructions].map { ProcessorCounter($0) }
        var sum = 0
        var count = try arguments.number("count") ?? workload.count
        if let time = try arguments.number("time") {
            sum &+= try work(workload.count)  // the first time is slower
            let once = try measured(counters, workload.count) { sum &+= try work($0) }
            // A session restarts in each iteration, and would spend a short one on its start.
            count = max(5 * workload.count, Int(1e6 * Double(time) / once.nanoseconds))
        }
        for _ in 0..<(try arguments.number("iterations") ?? 1) {
            let iteration = try measured(counters, count) { sum &+= try work($0) }
            print(iteration.nanoseconds, iteration.counts[0], iteration.counts[1])
        }
        // Using the result keeps the compiler from removing the work.
        if sum == 42 { print("the answer") }
    }

    /// Prints the cost of one of `count` units.
    private static func measured(
        _ counters: [ProcessorCounter], _ count: Int, _ body: (Int) throws -> Void
    ) throws -> (nanoseconds: Double, counts: [Double]) {
        let (before, begin) = (counters.map(\.count), ContinuousClock.now)
        try body(count)
        let (duration, after) = (ContinuousClock.now - begin, counters.map(\.count))
        let counts = zip(after, before).map { after, before in
            after.flatMap { after in before.map { Double(after - $0) / Double(count) } } ?? 0
        }
        return (duration / .nanoseconds(1) / Double(count), counts)
    }
}
