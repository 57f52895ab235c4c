import RillCore

/// Learns how long to wait for packets that others have overtaken, before they are NACKed.
///
/// It holds by how much the last packets were late, from the moment at which they were noticed to be missing. The
/// wait is the one that ``lateShare`` of all packets exceed: these are NACKed needlessly, and each really lost packet
/// is NACKed as early as that allows. Longer delays are learned too, if the packet arrives after its retransmission.
struct ReorderingMeter: ~Copyable, Sendable {
    /// How long to wait; zero where packets arrive in order.
    private(set) var delay = MediaDuration.zero
    /// The late packets, oldest first, from `head` on.
    private var ring = FixedStorage(repeating: LatePacket(), count: ReorderingMeter.capacity)
    /// Their delays, ascending: the first `count` values.
    private var sorted = FixedStorage(repeating: Int64(0), count: ReorderingMeter.capacity)
    private var head = 0
    private(set) var count = 0
    /// The packet after which the late ones are counted.
    private var start: Int64?
    /// The first late packet.
    private var first: Int64?
    /// Whether the last one was not a retransmission.
    private var isCertain = true

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct LatePacket: BitwiseCopyable {
        var sequence: Int64 = 0
        var delay: Int64 = 0
        var time = MediaTime.zero
    }

    /// The most late packets that are held, a power of two.
    static let capacity = 256
    /// How long a late packet counts.
    static let memory = MediaDuration.seconds(10)
    /// One in so many packets may be NACKed needlessly.
    private static let lateShare: Int64 = 100
    /// The packets after the first late one in which little is known of the delays.
    private static let youth: Int64 = 200
    /// The longest wait.
    static let longest = MediaDuration.milliseconds(500)

    /// Notes a packet that arrived late.
    ///
    /// - Parameters:
    ///   - sequence: its number.
    ///   - lateness: how long it was missing.
    ///   - newest: the newest packet of the stream.
    ///   - isCertain: whether it was not a retransmission. What may have been one must not make the wait much longer:
    ///     the next retransmission would be taken for one as late.
    ///   - now: the current time.
    mutating func note(
        _ sequence: Int64, late lateness: MediaDuration, newest: Int64, isCertain: Bool = true, at now: MediaTime
    ) {
        self.isCertain = isCertain
        forget(at: now)
        if count == ReorderingMeter.capacity { removeOldest() }
        if count == 0 { (start, first) = (sequence - 1, sequence) }
        let packet = LatePacket(
            sequence: sequence, delay: min(lateness, ReorderingMeter.longest).nanoseconds, time: now)
        ring[ring: head + count] = packet
        let place = place(of: packet.delay)
        sorted.move(from: place, to: place + 1, count: count - place)
        sorted[place] = packet.delay
        count += 1
        update(newest: newest)
    }

    /// Forgets what is too old.
    mutating func review(newest: Int64, at now: MediaTime) {
        guard count > 0, ring[ring: head].time + ReorderingMeter.memory < now else { return }
        forget(at: now)
        update(newest: newest)
    }

    /// Forgets everything: the stream has jumped.
    mutating func restart() {
        (head, count, delay) = (0, 0, .zero)
    }

    private mutating func update(newest: Int64) {
        let allowed = Int(clamping: max(0, newest - (start ?? newest)) / ReorderingMeter.lateShare)
        guard allowed < count else { return delay = .zero }
        let bound = sorted[count - 1 - allowed]
        // At first, the largest delay so far is exceeded often: that of a single packet counts three times.
        let isYoung = isCertain && newest - (first ?? newest) < ReorderingMeter.youth
        let margin = isYoung ? max(bound / 10, bound * 16 / Int64(7 + count)) : bound / 10
        delay = min(ReorderingMeter.longest, MediaDuration(nanoseconds: bound + margin))
    }

    private mutating func forget(at now: MediaTime) {
        while count > 0, ring[ring: head].time + ReorderingMeter.memory < now { removeOldest() }
    }

    private mutating func removeOldest() {
        let packet = ring[ring: head]
        let place = place(of: packet.delay)
        sorted.move(from: place + 1, to: place, count: count - place - 1)
        start = max(start ?? packet.sequence, packet.sequence)
        head = (head + 1) & (ReorderingMeter.capacity - 1)
        count -= 1
    }

    /// The first place whose delay is not below `delay`.
    private mutating func place(of delay: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < delay { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
