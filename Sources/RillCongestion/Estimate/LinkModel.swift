import RillCore

/// What should wait in the bottleneck's queue by our own packets, if the path carries a known rate and nothing else.
///
/// Each packet adds its transmission time, and time passes: a fluid queue.
@usableFromInline
struct LinkModel: Sendable {
    /// When all that was sent has been carried.
    @usableFromInline var free = MediaTime(nanoseconds: .min / 2)

    /// A queue of seconds is not believed: then the rate is wrong.
    @usableFromInline static var longest: Int64 { 2_000_000_000 }

    /// How long a packet that is sent now would wait, in nanoseconds.
    @inlinable @inline(__always)
    func queue(at now: MediaTime) -> Int64 { max(0, free.nanoseconds &- now.nanoseconds) }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - transmission: how long the path needs for it, in nanoseconds.
    ///   - now: when it is sent.
    /// - Returns: how long it waits before its own transmission, in nanoseconds.
    @inlinable @inline(__always) @discardableResult
    mutating func add(_ transmission: Int64, at now: MediaTime) -> Int64 {
        let wait = queue(at: now)
        free.nanoseconds = now.nanoseconds &+ min(wait &+ transmission, LinkModel.longest)
        return wait
    }

    mutating func empty() { free = MediaTime(nanoseconds: .min / 2) }
}
