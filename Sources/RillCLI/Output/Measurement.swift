import Glibc
import RillPages

/// What a piece of work really took. It never repeats, so it goes to standard error, and into JSON only when asked for.
struct Measurement: Codable {
    /// Seconds by the clock on the wall.
    var wallSeconds: Double
    /// Seconds of processors, user and system.
    var cpuSeconds: Double
    /// The most memory that was resident at once, in MiB, since the process began.
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

    /// What happened since `start`; the peak is that of the whole process.
    func since(_ start: Measurement) -> Measurement {
        Measurement(
            wallSeconds: wallSeconds - start.wallSeconds, cpuSeconds: cpuSeconds - start.cpuSeconds,
            peakMemoryMiB: peakMemoryMiB)
    }

    /// One line for people.
    var text: String {
        "measured: \(Decimal.text(wallSeconds, decimals: 2)) s wall, \(Decimal.text(cpuSeconds, decimals: 2)) s CPU, "
            + "\(Decimal.text(peakMemoryMiB, decimals: 1)) MiB peak memory"
    }
}
