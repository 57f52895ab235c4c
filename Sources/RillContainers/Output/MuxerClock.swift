import RillCore

/// Frame times as a container with a clock of milliseconds says them.
///
/// Each is rounded to the nearest tick. A frame never stands at or before the one that was written before it: of two that
/// are less than a tick apart the later one moves on, by as few ticks as that takes.
struct MuxerClock {
    private var last: Int64?

    /// Ticks a second.
    static let rate = 1000

    /// The tick of the next frame.
    mutating func tick(of time: MediaTime) -> Int64 {
        var tick = time.ticks(rate: MuxerClock.rate)
        if let last, tick <= last { tick = last + 1 }
        last = tick
        return tick
    }
}
