import Rill
import RillCore

/// Runs the contestants of a job in turns, and keeps what each took.
///
/// Every turn runs all of them once, in an order of its own drawn from the seed: whatever else the machine does meets
/// all alike, and nobody always follows the same neighbour. Instructions are counted afterwards, once for each command.
struct BenchRun {
    /// Runs of each contestant.
    var turnCount: Int
    /// Where the order of each turn comes from.
    var seed: UInt64
    /// Counts instructions; `nil` for not at all.
    var callgrind: Callgrind?
    /// Is told what is done next; throws to end everything.
    var progress: (String) throws -> Void

    /// Seconds that any run may take, and how many times as long it may take under callgrind.
    private static let limit = 1800.0
    private static let callgrindFactor = 8.0

    /// Runs a job to its end. A contestant that fails takes no further part; what it said stands in its result.
    mutating func results(of job: any BenchJob) throws -> JobResult {
        var heats = job.heats.map(HeatResult.init)
        var random = SeededGenerator(seed: seed)
        let places = heats.indices.flatMap { heat in heats[heat].entries.indices.map { (heat, $0) } }
        for turn in 0..<turnCount {
            for (heat, index) in places.shuffled(using: &random) where heats[heat].entries[index].failure == nil {
                let contestant = job.heats[heat].contestants[index]
                try progress(
                    "\(job.name), turn \(turn + 1) of \(turnCount): \(contestant.name), \(job.heats[heat].title)")
                try attempt(&heats[heat].entries[index]) { entry in
                    let (turn, work) = try self.turn(of: contestant, in: job)
                    entry.turns.append(turn)
                    entry.work = entry.work ?? work
                    entry.packetsLost += work.packetsLost
                }
            }
        }
        try count(job, &heats)
        for heat in heats.indices { heats[heat].compareWork() }
        return JobResult(
            name: job.name, title: job.title, explanation: job.explanation, notices: job.notices, heats: heats)
    }

    private func turn(of contestant: Contestant, in job: any BenchJob) throws -> (Turn, Work) {
        let (turn, work) = try job.run(contestant.command, limit: BenchRun.limit)
        guard let baseline = contestant.baseline else { return (turn, work) }
        return (turn - (try job.run(baseline, limit: BenchRun.limit)).turn, work)
    }

    private mutating func count(_ job: any BenchJob, _ heats: inout [HeatResult]) throws {
        guard var callgrind else { return }
        defer { self.callgrind = callgrind }
        for (heat, measured) in job.heats.enumerated() where measured.measures.contains(.instructions) {
            for (index, contestant) in measured.contestants.enumerated() where contestant.part != .again {
                guard heats[heat].entries[index].failure == nil else { continue }
                try progress("\(job.name), counting instructions: \(contestant.name)")
                try attempt(&heats[heat].entries[index]) { entry in
                    var sum = 0
                    for (command, sign) in [(contestant.command, 1), (contestant.baseline, -1)] {
                        guard let command else { continue }
                        let counted = try callgrind.counted(command)
                        _ = try job.run(counted, limit: BenchRun.limit * BenchRun.callgrindFactor)
                        sum += sign * (try callgrind.takeSum())
                    }
                    entry.instructions = sum
                }
            }
        }
    }

    /// What goes wrong with one contestant is its own; only Ctrl-C ends all.
    private func attempt(_ entry: inout HeatResult.Entry, _ body: (inout HeatResult.Entry) throws -> Void) throws {
        do {
            try body(&entry)
        } catch BenchError.interrupted {
            throw BenchError.interrupted
        } catch {
            entry.failure = "\(error)"
        }
    }
}
