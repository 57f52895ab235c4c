import RillCore

/// The capacity that the virtual queue assumes while the outcomes of a feedback are recorded.
struct PathCapacity: Sendable {
    /// Whether the capacity is known. Otherwise a lower bound takes its place.
    let isKnown: Bool
    /// The transmission time of packets at the capacity.
    let usual: TransmissionTime
    /// The transmission time at the highest capacity of the last 20 s.
    private(set) var shortest: TransmissionTime
    /// The longest wait of our own packets, in nanoseconds. On a path that bunches packets the capacity is uncertain,
    /// so the model's wait is limited to 50 ms.
    private(set) var longestWait: Int64

    /// Creates the assumption for one feedback.
    ///
    /// - Parameters:
    ///   - capacity: the capacity in bits per second, above 0.
    ///   - isKnown: whether the capacity is known.
    ///   - shortest: the transmission time at the highest known capacity of the last 20 s.
    ///   - isBunching: whether the path bunches packets.
    init(_ capacity: Double, isKnown: Bool, shortest: TransmissionTime = .endless, isBunching: Bool = false) {
        self.isKnown = isKnown
        usual = TransmissionTime(at: capacity)
        self.shortest = shortest.scaled < usual.scaled ? shortest : usual
        longestWait = isBunching ? 50_000_000 : .max
    }

    /// Forgets the higher capacity of the past, and that the path bunches packets.
    mutating func forgetPast() { (shortest, longestWait) = (usual, .max) }
}

/// The transmission time of a byte at a rate. It is computed once, so that the time of a packet costs one
/// multiplication.
@usableFromInline
struct TransmissionTime: Sendable {
    /// Nanoseconds per byte, times 2 to the power of 16.
    @usableFromInline let scaled: Int64

    /// Longer than any other.
    static let endless = TransmissionTime(scaled: .max)

    init(scaled: Int64) { self.scaled = scaled }

    /// Computes the time for a rate in bits per second, at least 1.
    @usableFromInline
    init(at rate: Double) { scaled = Int64(8e9 * 65_536 / max(rate, 1)) }

    /// The transmission time of a packet, in nanoseconds.
    @inlinable @inline(__always)
    func of(_ byteCount: Int) -> Int64 { (Int64(byteCount) &* scaled) >> 16 }
}

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
