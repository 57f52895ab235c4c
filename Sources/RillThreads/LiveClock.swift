import Glibc
public import RillCore

/// The live driver's clock: `CLOCK_MONOTONIC`, counted from the moment it was made.
///
/// All parts of one live session share one, so that their stamps can be compared.
public struct LiveClock: Sendable {
    private let origin: Int64

    /// A clock that stands at zero now.
    public init() {
        origin = monotonicNanoseconds()
    }

    /// The time since the clock was made.
    public var now: MediaTime { MediaTime(nanoseconds: monotonicNanoseconds() - origin) }

    /// The reading of `CLOCK_MONOTONIC` that belongs to `time`, in nanoseconds; `.distantFuture` stays that.
    package func monotonic(_ time: MediaTime) -> Int64 {
        time == .distantFuture ? .max : time.nanoseconds + origin
    }

    /// The time that belongs to a reading of `CLOCK_MONOTONIC`.
    package func time(monotonic time: MediaTime) -> MediaTime { MediaTime(nanoseconds: time.nanoseconds - origin) }

    /// The time since 1970 on the wall when the clock was made, in nanoseconds, as far as the wall's clock was right.
    package var wallClockAtZero: Int64 {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &moment)
        let wall = Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
        return wall - now.nanoseconds
    }

    /// Sleeps for a millisecond: what a thread does that waits for a buffer, of which nobody can tell it.
    package static func pause() {
        let clock = LiveClock()
        clock.sleep(until: clock.now + .milliseconds(1))
    }

    /// Sleeps until `time`; a time that has passed does not wait.
    package func sleep(until time: MediaTime) {
        let deadline = monotonic(time)
        var moment = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        // Interrupted by a signal, the sleep goes on to the same absolute deadline.
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
    }
}

private func monotonicNanoseconds() -> Int64 {
    var moment = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
    return Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
}
