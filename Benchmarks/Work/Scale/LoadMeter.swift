import Counters
import Glibc
import Machine

/// What this process takes while it works, on the threads that it starts after this was made.
///
/// Seconds and instructions are taken in time slices of their own. To count costs seconds: while a counter runs, each switch
/// of threads sets the processor's registers for it, which in a virtual machine the hypervisor has to do. With a counter 17
/// participants took 11.9, 12.8 and 13.8 % of a core, without 11.8, 12.5 and 10.5.
struct LoadMeter {
    private let counter = ProcessorCounter(CPerfEvents_instructions, withKernel: true)

    /// Seconds of each slice.
    private static let (timed, counted) = (2.0, 1.0)

    init() {
        _ = counter.pause()
    }

    /// Lets it work for `seconds` that are timed, and for half as many in which instructions are counted.
    ///
    /// - Parameters:
    ///   - work: lets it work for so many seconds.
    /// - Returns: `cpu=0.118 instructions=551000000 wall=12`: CPU seconds and, where the machine counts them, instructions in
    ///   a second, and how long it worked in all.
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

    /// Instructions while `body` runs, which it does not where the machine counts none.
    private func counting(_ body: () throws -> Void) rethrows -> Int64? {
        guard counter.resume(), let before = counter.count else { return nil }
        try body()
        // A counter that does not stop would count on in what is timed: it is not believed then.
        guard counter.pause(), let after = counter.count else { return nil }
        return after - before
    }

    private static func now(_ clock: clockid_t) -> Double {
        var moment = timespec()
        clock_gettime(clock, &moment)
        return Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9
    }
}
