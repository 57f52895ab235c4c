import Glibc
import Machine

/// Counts the processor's cycles and instructions in user mode, where the machine gives them.
///
/// Virtual machines often give none, and a kernel may forbid it (`perf_event_paranoid` 3).
final class CycleCounter {
    /// What was counted from one reading to another.
    struct Reading {
        var cycles: Int64
        var instructions: Int64

        static func - (later: Reading, earlier: Reading) -> Reading {
            Reading(
                cycles: later.cycles - earlier.cycles, instructions: later.instructions - earlier.instructions)
        }
    }

    private let cycles = CPerfEvents_open(CPerfEvents_cycles, 0)
    private let instructions = CPerfEvents_open(CPerfEvents_instructions, 0)

    deinit {
        for descriptor in [cycles, instructions] where descriptor >= 0 { close(descriptor) }
    }

    /// What was counted so far; `nil` where nothing is, or not all the time.
    func read() -> Reading? {
        guard cycles >= 0, instructions >= 0 else { return nil }
        let reading = Reading(cycles: CPerfEvents_count(cycles), instructions: CPerfEvents_count(instructions))
        return reading.cycles >= 0 && reading.instructions >= 0 ? reading : nil
    }
}
