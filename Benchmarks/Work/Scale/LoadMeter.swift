import Counters
import Glibc
import Machine

/// Measures the cost of this process while it works, on the threads that it starts later.
///
/// CPU seconds and instructions are measured in separate time slices, since counting costs time: with a counter, each
/// thread switch sets hardware registers, which in a virtual machine the hypervisor must do. With a counter 17
/// participants took 11.9, 12.8 and 13.8 % of a core, without 11.8, 12.5 and 10.5.
struct LoadMeter {
    private let counter = ProcessorCounter(CPerfEvents_instructions, withKernel: true)

    /// The seconds of each slice.
    private static let (timed, counted) = (2.0, 1.0)

    init() {
        _ = counter.pause()
    }

    /// Runs the work for `seconds` that are timed, and for half as long while instructions are counted.
    ///
    /// - Parameters:
    ///   - work: runs the work for a number of seconds.
    /// - Returns: `cpu=0.118 instructions=551000000 wall=12`: CPU seconds and, where the machine counts them,
    ///   instructions in a second, and how long it worked in all.
    func measure(seconds: Double, _ work: (Double) throws -> Void) rethrows -> String {
        let start = LoadMeter.now(CLOCK_MONOTONIC)
        var (cpu, timed, counted) = (0.0, 0.0, 0.0)
        var instructions: Int64? = 0
        while timed < seconds {
            let length = min(LoadMeter.timed, seconds - timed)
            // User and system time of all threads.
            let before = (cpu: LoadMeter.now(CLOCK_PROCESS_CPUTIME_ID), wall: LoadMeter.now(CLOCK_MONOTONIC))
            try work(length)
            cpu += LoadMeter.now(CLOCK_PROCESS_CPUTIME_ID) - before.cpu
            let middle = LoadMeter.now(CLOCK_MONOTONIC)
            timed += middle - before.wall
            let part = try counting { try work(length / LoadMeter.timed * LoadMeter.counted) }
            counted += LoadMeter.now(CLOCK_MONOTONIC) - middle
            instructions = part.flatMap { part in instructions.map { $0 + part } }
        }
        var text = "cpu=\(cpu / timed) wall=\(LoadMeter.now(CLOCK_MONOTONIC) - start)"
        if let instructions { text += " instructions=\(Double(instructions) / counted)" }
        return text
    }

    /// The instructions while `body` runs; it does not run if the machine has no counter.
    private func counting(_ body: () throws -> Void) rethrows -> Int64? {
        guard counter.resume(), let before = counter.count else { return nil }
        try body()
        // If the counter does not stop, it would disturb the timing: its result is discarded.
        guard counter.pause(), let after = counter.count else { return nil }
        return after - before
    }

    private static func now(_ clock: clockid_t) -> Double {
        var moment = timespec()
        clock_gettime(clock, &moment)
        return Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9
    }
}
