import RillCore

/// Measures what waits in the path's queue beside our own packets, from the transits of packets: the time from departure to arrival, by two
/// clocks whose difference is unknown.
///
/// What our own packets should wait is known (``LinkModel``) and taken off. What is left is jitter, the packets of others, and a capacity
/// that is lower than it was.
///
/// - Where packets keep their distance, jitter is small: the smallest transit of 20 s is the empty path, and the mean above it is a queue.
/// - Where packets bunch or overtake each other, the smallest transit is luck: means of half a second are compared with the usual ones, less
///   what their scatter explains.
struct QueueMeter: Sendable {
    /// What stands in the queue, in seconds, by means compared with the usual; zero while scatter explains everything.
    private(set) var standing = 0.0
    /// What stands in the queue beside our own packets, in seconds, above the empty path: for paths that do not bunch.
    private(set) var foreign = 0.0
    /// The mean of the last six packets above the usual, in seconds: seen earlier than `standing`.
    private(set) var surge = 0.0
    /// How far single packets are from the mean, in seconds, over some seconds.
    private(set) var scatter = 0.02
    /// Whether the path bunches packets that left apart, or lets them overtake each other: then trains say little.
    private(set) var isBunching = false

    /// The share of bunched packets above which trains are not trusted.
    private static let bunchingLimit = 0.1
    /// So many standard deviations above the usual a mean may be by chance.
    private static let doubt = 3.3
    /// The time constants of the usual mean, in seconds.
    private static let (up, down) = (20.0, 1.0)

    /// The sums over the packets of the last half second.
    private struct Sums: Sendable {
        var seconds = 0.0
        var squares = 0.0

        @inline(__always)
        mutating func add(_ value: Double) {
            seconds += value
            squares += value * value
        }

        @inline(__always)
        mutating func remove(_ value: Double) {
            seconds -= value
            squares -= value * value
        }
    }

    /// How packets follow each other.
    private struct Flow: Sendable {
        /// The share of packets that arrived faster than any queue sends them.
        var bunched = 0.0
        /// The size of a packet, smoothed.
        var packetBits = 4000.0
        /// When the last packet left, and when it arrived.
        private var last = (send: MediaTime(nanoseconds: .min / 2), arrival: MediaTime.zero)

        /// Adds a packet. One that arrives faster than `limit`, in bits per second, is bunched.
        @inline(__always)
        mutating func add(_ packet: PacketRecord, arrival: MediaTime, bits: Double, limit: Double) {
            let gap = packet.sendTime.nanoseconds &- last.send.nanoseconds
            if gap > 500_000, gap < 100_000_000 {
                let distance = arrival.nanoseconds &- last.arrival.nanoseconds
                let isBunched = MediaDuration(nanoseconds: distance).seconds * limit < bits
                bunched += ((isBunched ? 1 : 0) - bunched) / 128
            }
            last = (packet.sendTime, arrival)
            packetBits += (bits - packetBits) / 32
        }
    }

    private var sums = Sums()
    private var floor = WindowedMinimum()
    /// The known capacities, negative: the smallest is the highest.
    private var slowness = WindowedMinimum()
    /// The highest known capacity of 20 s, in bits per second.
    private var fastest = 0.0
    /// The standard deviation of a mean of half a second, in seconds.
    private(set) var noise = 0.008
    private var lastMean: (mean: Double, time: MediaTime)?
    /// The usual mean of half a second: it follows lower ones within a second, and higher ones within twenty.
    private var baseline: Double?
    private var flow = Flow()
    private var lastUpdate: MediaTime?

    /// The smallest transit of the last 20 s, in seconds; the two clocks differ.
    var emptyTransit: Double { floor.smallest.value }

    /// Adds a packet that arrived, in the order of sending.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - arrival: when it arrived.
    ///   - wait: what it should have waited behind our own packets, in seconds.
    ///   - path: what the path carries.
    ///   - packets: those of the last half second, to which it is added.
    @inline(__always)
    mutating func add(
        _ packet: PacketRecord, arrival: MediaTime, wait: Double, over path: PathCapacity,
        to packets: inout Ring<ReceivedPacket>.Contents
    ) {
        let bits = Double(packet.byteCount) * 8
        let transit = MediaDuration(nanoseconds: arrival.nanoseconds &- packet.sendTime.nanoseconds).seconds
        floor.add(transit, bits: bits, at: packet.sendTime)
        // The packet's own transmission, less that of the one that found the path empty, when it may have been faster; and what our own
        // packets before it take.
        var own = 0.0
        if let capacity = path.known {
            // Where packets bunch the capacity is a guess.
            own =
                bits / capacity - floor.smallest.bits / max(fastest, capacity) + (isBunching ? min(wait, 0.05) : wait)
        }
        // Faster than eight times the capacity: not by a queue.
        flow.add(packet, arrival: arrival, bits: bits, limit: max(path.least, fastest) * 8)
        drop(before: packet.sendTime, of: &packets)
        if packets.isFull { dropFirst(of: &packets) }
        let excess = transit - floor.smallest.value - own
        packets.append(
            ReceivedPacket(
                sendTime: packet.sendTime, arrival: arrival, excess: excess, byteCount: packet.byteCount))
        sums.add(excess)
    }

    /// Measures anew, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - packets: those of the last half second.
    ///   - capacity: what the path carries, in bits per second; `nil` if that is unknown.
    ///   - rate: what the path carries at least, in bits per second.
    ///   - now: the current time.
    mutating func update(_ packets: Ring<ReceivedPacket>, capacity: Double?, rate: Double, at now: MediaTime) {
        let elapsed = lastUpdate.map { min((now - $0).seconds, 0.2) } ?? 0
        lastUpdate = now
        if let capacity {
            slowness.add(-capacity, at: now)
            fastest = -slowness.smallest.value
        }
        let wasBunching = isBunching
        isBunching = flow.bunched > (isBunching ? 0.6 : 1) * QueueMeter.bunchingLimit
        if isBunching != wasBunching { baseline = nil }
        guard packets.count >= 4 else { return }
        let count = Double(packets.count)
        let mean = sums.seconds / count
        let deviation = max(0, sums.squares / count - mean * mean).squareRoot()
        let before = baseline ?? mean
        let usual = before + (mean - before) * min(1, elapsed / (mean < before ? QueueMeter.down : QueueMeter.up))
        baseline = usual
        surge = QueueMeter.mean(ofLast: 6, within: .seconds(1), of: packets) - (isBunching ? usual : 0)
        scatter += (deviation - scatter) * min(1, elapsed / 2)
        compare(mean, at: now)
        // Less than a packet is no queue.
        let least = max(0.006, min(flow.packetBits / rate, 0.1)) + QueueMeter.doubt * noise
        standing = max(0, mean - usual - least)
        foreign = max(0, QueueMeter.mean(ofLast: packets.count, within: .milliseconds(200), of: packets) - 0.002)
        // Four deviations above the smallest transit are no jitter, whatever the means were before.
        if isBunching { standing = max(standing, foreign - 0.03 - 4 * scatter) }
    }

    /// The mean excess of the newest packets.
    @inline(__always)
    private static func mean(
        ofLast most: Int, within length: MediaDuration, of packets: Ring<ReceivedPacket>
    ) -> Double {
        guard let newest = packets.last?.sendTime else { return 0 }
        let start = newest - length
        var sum = 0.0
        let count = packets.fromNewest(most) { packet in
            guard packet.sendTime >= start else { return false }
            sum += packet.excess
            return true
        }
        return sum / Double(max(1, count))
    }

    /// Learns from means of half seconds that follow each other how much such a mean scatters.
    private mutating func compare(_ mean: Double, at now: MediaTime) {
        guard let before = lastMean else {
            lastMean = (mean, now)
            return
        }
        guard now - before.time >= .milliseconds(500) else { return }
        // The median of such steps is as often exceeded as not: a queue that comes and goes does not move it.
        noise = min(max(noise * (abs(mean - before.mean) > 0.954 * noise ? 1.12 : 0.89), 0.0005), 0.010)
        lastMean = (mean, now)
    }

    /// Takes the path as empty now: what stands is not ours, or the path is another.
    mutating func rebase(at now: MediaTime) {
        floor.forget(before: now - .seconds(1))
        baseline = nil
        slowness.forget(before: now - .seconds(1))
        fastest = slowness.smallest.value.isFinite ? -slowness.smallest.value : 0
    }

    /// Forgets everything, as on another path.
    mutating func reset() { self = QueueMeter() }

    /// Drops packets that are too old beside one that was sent at a time.
    @inline(__always)
    private mutating func drop(before sendTime: MediaTime, of packets: inout Ring<ReceivedPacket>.Contents) {
        let time = sendTime.nanoseconds
        while packets.count > 0 {
            // Few packets say little: then older ones count, too.
            let length: Int64 = packets.count > 32 ? 500_000_000 : 1_500_000_000
            guard packets.first.sendTime.nanoseconds < time &- length else { return }
            dropFirst(of: &packets)
        }
    }

    @inline(__always)
    private mutating func dropFirst(of packets: inout Ring<ReceivedPacket>.Contents) {
        sums.remove(packets.first.excess)
        packets.removeFirst()
        if packets.count == 0 { sums = Sums() }
    }
}
