import RillCore

/// What should wait in the bottleneck's queue by our own packets, if the path carries a known rate and nothing else.
///
/// Each packet adds its transmission time, and time passes: a fluid queue.
@usableFromInline
struct LinkModel: Sendable {
    @usableFromInline var time = MediaTime(nanoseconds: .min / 2)
    /// What waits at `time`, in seconds of transmission: what waits later is never more.
    @usableFromInline var backlog = 0.0

    /// How long a packet that is sent now would wait, in seconds.
    @inlinable @inline(__always)
    func queue(at now: MediaTime) -> Double {
        backlog > 0 && now > time ? max(0, backlog - (now - time).seconds) : backlog
    }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - bits: its size.
    ///   - rate: what the path carries, in bits per second, above 0.
    ///   - now: when it is sent.
    /// - Returns: how long it waits before its own transmission, in seconds.
    @inlinable @inline(__always)
    mutating func add(bits: Double, rate: Double, at now: MediaTime) -> Double {
        let wait = queue(at: now)
        time = max(time, now)
        // A queue of seconds is not believed: then the rate is wrong.
        backlog = min(wait + bits / rate, 2)
        return wait
    }

    mutating func empty() { backlog = 0 }
}
