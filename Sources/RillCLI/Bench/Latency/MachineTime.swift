import Glibc

/// CPU time that all of the machine's threads took since it was started, in seconds.
struct MachineTime: Codable, Equatable, Sendable {
    /// At work for any process, or for the system.
    var busy: Double
    /// Taken by the hypervisor for others, where this is a virtual machine.
    var stolen: Double

    /// As of now; `nil` where the system does not say.
    static var now: MachineTime? {
        // What a machine does not say of itself is left out of the report.
        (try? TextFile.read("/proc/stat")).flatMap {
            MachineTime(parsing: $0, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// Reads the first line of `/proc/stat`: user, nice, system, idle, waiting, interrupts (2), stolen.
    init?(parsing text: String, ticksPerSecond: Int) {
        let words = text.prefix { $0 != "\n" }.split(separator: " ")
        let ticks = words.dropFirst().compactMap { Double($0) }
        guard words.first == "cpu", ticks.count >= 8, ticksPerSecond > 0 else { return nil }
        busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / Double(ticksPerSecond)
        stolen = ticks[7] / Double(ticksPerSecond)
    }

    init(busy: Double, stolen: Double) { (self.busy, self.stolen) = (busy, stolen) }

    /// What passed since then, without what one process took of it, as hardware threads on the average.
    func others(since start: MachineTime, without turn: Turn) -> MachineTime {
        let seconds = max(turn.wallSeconds, 0.001)
        return MachineTime(
            busy: max(0, busy - start.busy - turn.cpuSeconds) / seconds, stolen: (stolen - start.stolen) / seconds)
    }
}
