import Glibc

/// The time and memory that a piece of work took. It differs from run to run, so it goes to standard error, and into
/// JSON only on request.
struct Measurement: Codable {
    /// Wall time in seconds.
    var wallSeconds: Double
    /// CPU time in seconds, user and system.
    var cpuSeconds: Double
    /// Peak resident memory in MiB, since the process started.
    var peakMemoryMiB: Double

    /// The process so far; subtract an earlier one.
    static var now: Measurement {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Measurement(
            wallSeconds: Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9,
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakMemoryMiB: Double(usage.ru_maxrss) / 1024)
    }

    /// The difference to `start`; the peak is that of the whole process.
    func since(_ start: Measurement) -> Measurement {
        Measurement(
            wallSeconds: wallSeconds - start.wallSeconds, cpuSeconds: cpuSeconds - start.cpuSeconds,
            peakMemoryMiB: peakMemoryMiB)
    }

    /// The measurement as one line of text.
    var text: String {
        "measured: \(Decimal.text(wallSeconds, decimals: 2)) s wall, \(Decimal.text(cpuSeconds, decimals: 2)) s CPU, "
            + "\(Decimal.text(peakMemoryMiB, decimals: 1)) MiB peak memory"
    }
}
