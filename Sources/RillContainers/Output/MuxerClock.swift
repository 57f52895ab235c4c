import RillCore

/// Converts frame times to a container's clock of milliseconds.
///
/// Each time is rounded to the nearest tick. A frame is never at or before the previous one: if two are less than a
/// tick apart, the later one moves on by as few ticks as necessary.
struct MuxerClock {
    private var last: Int64?

    /// Ticks per second.
    static let rate = 1000

    /// Returns the tick of the next frame.
    mutating func tick(of time: MediaTime) -> Int64 {
        var tick = time.ticks(rate: MuxerClock.rate)
        if let last, tick <= last { tick = last + 1 }
        last = tick
        return tick
    }
}
