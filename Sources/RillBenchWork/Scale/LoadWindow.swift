import Glibc
import Rill

/// What this process takes between two moments.
struct LoadWindow {
    private let cpu: Double
    private let wall: Double

    /// Begins now.
    init() {
        (cpu, wall) = (LoadWindow.cpuSeconds, LoadWindow.monotonicSeconds)
    }

    /// CPU and wall seconds since the beginning.
    var elapsed: (cpu: Double, wall: Double) {
        (LoadWindow.cpuSeconds - cpu, LoadWindow.monotonicSeconds - wall)
    }

    /// User and system time of all threads.
    private static var cpuSeconds: Double {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &moment)
        return seconds(moment)
    }

    private static var monotonicSeconds: Double {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        return seconds(moment)
    }

    private static func seconds(_ moment: timespec) -> Double { Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9 }
}
