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

    /// By how much longer a packet travelled than it should.
    private struct Excess: Sendable {
        var sendTime = MediaTime.zero
        var seconds = 0.0
    }

    /// The packets of the last half second.
    private var packets = Ring(capacity: 512, filler: Excess())
    private var sum = 0.0
    private var squares = 0.0
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
    /// The share of packets that arrived faster than any queue sends them.
    private var bunched = 0.0
    /// The size of a packet, smoothed.
    private var packetBits = 4000.0
    private var last: (send: MediaTime, arrival: MediaTime)?
    private var lastUpdate: MediaTime?

    /// The smallest transit of the last 20 s, in seconds; the two clocks differ.
    var emptyTransit: Double { floor.smallest.value }

    /// Adds a packet that arrived, in the order of sending.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - arrival: when it arrived.
    ///   - wait: what it should have waited behind our own packets, in seconds.
    ///   - capacity: what the path carries, in bits per second; `nil` if that is unknown. Then nothing is taken off.
    ///   - rate: what it carries at least.
    @inline(__always)
    mutating func add(_ packet: PacketRecord, arrival: MediaTime, wait: Double, capacity: Double?, rate: Double) {
        let bits = Double(packet.byteCount) * 8
        let transit = (arrival - packet.sendTime).seconds
        floor.add(transit, bits: bits, at: packet.sendTime)
        // The packet's own transmission, less that of the one that found the path empty, when it may have been faster; and what our own
        // packets before it take.
        var own = 0.0
        if let capacity {
            // Where packets bunch the capacity is a guess.
            own = bits / capacity - floor.smallest.bits / max(fastest, capacity) + (isBunching ? min(wait, 0.05) : wait)
        }
        let entry = Excess(sendTime: packet.sendTime, seconds: transit - floor.smallest.value - own)
        noteBunching(packet.sendTime, arrival, bits: bits, rate: rate)
        packetBits += (bits - packetBits) / 32
        drop(before: packet.sendTime)
        if packets.count == packets.capacity { dropFirst() }
        packets.append(entry)
        sum += entry.seconds
        squares += entry.seconds * entry.seconds
    }

    @inline(__always)
    private mutating func noteBunching(_ sendTime: MediaTime, _ arrival: MediaTime, bits: Double, rate: Double) {
        if let last, sendTime - last.send > .microseconds(500), sendTime - last.send < .milliseconds(100) {
            // Faster than eight times the capacity: not by a queue.
            let isBunched = (arrival - last.arrival).seconds * max(rate, fastest) * 8 < bits
            bunched += ((isBunched ? 1 : 0) - bunched) / 128
        }
        last = (sendTime, arrival)
    }

    /// Measures anew, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - capacity: what the path carries, in bits per second; `nil` if that is unknown.
    ///   - rate: what the path carries at least, in bits per second.
    ///   - now: the current time.
    mutating func update(capacity: Double?, rate: Double, at now: MediaTime) {
        let elapsed = lastUpdate.map { min((now - $0).seconds, 0.2) } ?? 0
        lastUpdate = now
        if let capacity {
            slowness.add(-capacity, at: now)
            fastest = -slowness.smallest.value
        }
        let wasBunching = isBunching
        isBunching = bunched > (isBunching ? 0.6 : 1) * QueueMeter.bunchingLimit
        if isBunching != wasBunching { baseline = nil }
        guard packets.count >= 4 else { return }
        let count = Double(packets.count)
        let mean = sum / count
        let deviation = max(0, squares / count - mean * mean).squareRoot()
        let before = baseline ?? mean
        let usual = before + (mean - before) * min(1, elapsed / (mean < before ? QueueMeter.down : QueueMeter.up))
        baseline = usual
        surge = self.mean(ofLast: 6, within: .seconds(1)) - (isBunching ? usual : 0)
        scatter += (deviation - scatter) * min(1, elapsed / 2)
        compare(mean, at: now)
        // Less than a packet is no queue.
        let least = max(0.006, min(packetBits / rate, 0.1)) + QueueMeter.doubt * noise
        standing = max(0, mean - usual - least)
        foreign = max(0, self.mean(ofLast: .max, within: .milliseconds(200)) - 0.002)
        // Four deviations above the smallest transit are no jitter, whatever the means were before.
        if isBunching { standing = max(standing, foreign - 0.03 - 4 * scatter) }
    }

    /// The mean of the newest packets.
    private mutating func mean(ofLast most: Int, within length: MediaDuration) -> Double {
        guard let newest = packets.last?.sendTime else { return 0 }
        let count = packets.count
        let most = min(most, count)
        var (taken, sum) = (0, 0.0)
        while taken < most {
            let packet = packets[count &- 1 &- taken]
            guard newest - packet.sendTime <= length else { break }
            taken &+= 1
            sum += packet.seconds
        }
        return sum / Double(max(1, taken))
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

    @inline(__always)
    private mutating func drop(before sendTime: MediaTime) {
        // Few packets say little: then older ones count, too.
        while packets.count > 0,
            sendTime - packets[0].sendTime > .milliseconds(packets.count > 32 ? 500 : 1500)
        {
            dropFirst()
        }
    }

    @inline(__always)
    private mutating func dropFirst() {
        guard let first = packets.first else { return }
        sum -= first.seconds
        squares -= first.seconds * first.seconds
        packets.removeFirst()
        if packets.isEmpty { (sum, squares) = (0, 0) }
    }
}
