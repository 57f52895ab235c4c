import Glibc
public import RillCore
import Synchronization

/// The clock of a live driver: `CLOCK_MONOTONIC`, counted from the clock's creation.
///
/// All components of a live session share one clock, so that their timestamps are comparable.
public struct LiveClock: Sendable {
    private let origin: Int64
    /// The time that a test sets; `nil` for true time.
    private let virtual: VirtualTime?

    /// A clock that is at zero now.
    public init() {
        origin = monotonicNanoseconds()
        virtual = nil
    }

    /// A clock in virtual time, for a test that calls what threads call otherwise. Waiting for its times is not
    /// possible.
    package init(_ time: VirtualTime) {
        origin = monotonicNanoseconds()
        virtual = time
    }

    /// Time that a test sets.
    package final class VirtualTime: Sendable {
        private let nanoseconds = Atomic<Int64>(0)

        package init() {}

        package var now: MediaTime {
            get { MediaTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
            set { nanoseconds.store(newValue.nanoseconds, ordering: .relaxed) }
        }
    }

    /// The time since the clock's creation.
    public var now: MediaTime {
        if let virtual { return virtual.now }
        return MediaTime(nanoseconds: monotonicNanoseconds() - origin)
    }

    /// Returns the `CLOCK_MONOTONIC` value of `time` in nanoseconds; the maximum for `.distantFuture`.
    package func monotonic(_ time: MediaTime) -> Int64 {
        time == .distantFuture ? .max : time.nanoseconds + origin
    }

    /// Returns the time of a `CLOCK_MONOTONIC` value.
    package func time(monotonic time: MediaTime) -> MediaTime { MediaTime(nanoseconds: time.nanoseconds - origin) }

    /// Returns the time of a `CLOCK_MONOTONIC` value at which something arrived, but none later than `now`. It is `now`
    /// if the value is not known, or before this clock.
    package func arrival(monotonic time: MediaTime?, notAfter now: MediaTime) -> MediaTime {
        guard virtual == nil, let time, time.nanoseconds >= origin else { return now }
        return min(self.time(monotonic: time), now)
    }

    /// The wall clock time at the clock's zero, in nanoseconds since 1970, as accurate as the wall clock.
    package var wallClockAtZero: Int64 {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &moment)
        let wall = Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
        return wall - now.nanoseconds
    }

    /// Sleeps for a millisecond, to poll for a buffer that does not notify waiting threads.
    package static func pause() {
        let clock = LiveClock()
        clock.sleep(until: clock.now + .milliseconds(1))
    }

    /// Sleeps until `time`. Returns immediately if it has passed.
    package func sleep(until time: MediaTime) {
        let deadline = monotonic(time)
        var moment = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        // If a signal interrupts the sleep, it resumes with the same absolute deadline.
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
    }
}

private func monotonicNanoseconds() -> Int64 {
    var moment = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
    return Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
}
