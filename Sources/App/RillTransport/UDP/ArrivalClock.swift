import Glibc
import RillCore

/// Converts the times at which the system has received datagrams to the monotonic clock.
///
/// The system notes them by the wall clock (SO_TIMESTAMPNS), which may be set at any time. So each batch compares both
/// clocks: a datagram is as old as its time is before the wall clock's. If that was set since the batch before, the
/// datagram may have arrived before that, so the comparison of the batch before is tried too. A time that is
/// implausible is bounded, and counted.
///
/// Times are nanoseconds. It is a value and reads no clock.
struct ArrivalClock {
    /// Both clocks at one moment.
    struct Reading {
        var monotonic: Int64
        var wall: Int64

        var offset: Int64 { wall &- monotonic }
    }

    private var reading = Reading(monotonic: 0, wall: 0)
    /// The difference of the clocks at the batch before, if the wall clock was set since.
    private var formerOffset: Int64?
    /// The last arrival: later datagrams arrived later.
    private var last = Int64.min
    /// The datagrams whose time was bounded.
    private(set) var adjustedCount = 0

    /// Begins a batch that was received just before `reading`.
    mutating func beginBatch(_ reading: Reading) {
        let former = self.reading
        let change = abs(reading.offset &- former.offset)
        // A clock that is slewed gains or loses at most one part in a thousand.
        let drift = ArrivalClock.tolerance * 2 + (reading.monotonic - former.monotonic) / 1000
        formerOffset = former.monotonic == 0 || change <= drift ? nil : former.offset
        self.reading = reading
    }

    /// The monotonic time of a datagram of the batch, in their order.
    ///
    /// - Parameter stamp: the wall clock's time when it arrived.
    mutating func time(ofStamp stamp: Int64) -> MediaTime {
        last = monotonic(stamp)
        return MediaTime(nanoseconds: last)
    }

    private mutating func monotonic(_ stamp: Int64) -> Int64 {
        let earliest = max(last, reading.monotonic - ArrivalClock.longestAge)
        let plausible = earliest...reading.monotonic
        let time = stamp &- reading.offset
        // If the wall clock was set, the datagram arrived before or after that: the wrong assumption makes its age
        // wrong by the step, which is implausible, or the older one.
        let former = formerOffset.map { stamp &- $0 }
        switch (plausible.contains(time), former.map(plausible.contains) ?? false) {
        case (true, true): return max(time, former ?? time)
        case (true, false): return time
        case (false, true): return former ?? time
        case (false, false): break
        }
        // Datagrams of one instant may be noted in another order by several processors.
        let bounded = min(max(time, earliest), reading.monotonic)
        if abs(time &- bounded) > ArrivalClock.tolerance { adjustedCount += 1 }
        return bounded
    }

    /// A datagram waits no longer than this: then the socket's buffer is full, or the wall clock was set.
    static let longestAge: Int64 = 10_000_000_000
    /// The difference of two readings of the clocks.
    static let tolerance: Int64 = 1_000_000
}

extension ArrivalClock.Reading {
    /// Reads both clocks: neither takes a system call. If another thread ran between the two, they are read again.
    static func read() -> ArrivalClock.Reading {
        var best = ArrivalClock.Reading(monotonic: 0, wall: 0)
        var shortest = Int64.max
        for _ in 0..<3 {
            let start = monotonicNanoseconds()
            var moment = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &moment)
            let end = monotonicNanoseconds()
            if end - start < shortest {
                shortest = end - start
                best.monotonic = end
                best.wall = Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
            }
            if shortest < 20_000 { break }
        }
        return best
    }
}
