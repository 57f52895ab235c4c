import Glibc
import Rill

/// What this process takes between two moments.
///
/// Threads that were started before ``InstructionCounter`` are not among the instructions.
struct LoadWindow {
    private let counter: InstructionCounter
    private let start: Reading

    private struct Reading {
        var cpu: Double
        var wall: Double
        var instructions: Int64?
    }

    /// Begins now.
    init(_ counter: InstructionCounter) {
        self.counter = counter
        start = LoadWindow.read(counter)
    }

    /// CPU and wall seconds and, where the machine counts them, instructions since the beginning: `cpu=0.61 wall=8`.
    var text: String {
        let now = LoadWindow.read(counter)
        var text = "cpu=\(now.cpu - start.cpu) wall=\(now.wall - start.wall)"
        if let first = start.instructions, let last = now.instructions { text += " instructions=\(last - first)" }
        return text
    }

    private static func read(_ counter: InstructionCounter) -> Reading {
        // User and system time of all threads.
        Reading(
            cpu: seconds(CLOCK_PROCESS_CPUTIME_ID), wall: seconds(CLOCK_MONOTONIC), instructions: counter.count)
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var moment = timespec()
        unsafe clock_gettime(clock, &moment)
        return Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9
    }
}
