import RillCore

/// A virtual queue: the queueing delay of our own packets at a bottleneck of known capacity without cross traffic.
///
/// Each packet adds its transmission time, and time drains the queue (the fluid model of a FIFO link).
@usableFromInline
struct LinkModel: Sendable {
    /// When the bottleneck has sent all packets.
    @usableFromInline var free = MediaTime(nanoseconds: .min / 2)

    /// The longest queue, in nanoseconds. If the model exceeds it, the capacity is wrong.
    @usableFromInline static var longest: Int64 { 2_000_000_000 }

    /// The queueing delay of a packet that is sent now, in nanoseconds.
    @inlinable @inline(__always)
    func queue(at now: MediaTime) -> Int64 { max(0, free.nanoseconds &- now.nanoseconds) }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - transmission: the packet's transmission time at the capacity, in nanoseconds.
    ///   - now: its send time.
    /// - Returns: its queueing delay, without its own transmission, in nanoseconds.
    @inlinable @inline(__always) @discardableResult
    mutating func add(_ transmission: Int64, at now: MediaTime) -> Int64 {
        let wait = queue(at: now)
        free.nanoseconds = now.nanoseconds &+ min(wait &+ transmission, LinkModel.longest)
        return wait
    }

    mutating func empty() { free = MediaTime(nanoseconds: .min / 2) }
}
