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

    /// Whether packets overtake each other.
    var isOvertaking: Bool { flow.overtaking > QueueMeter.overtakingLimit }

    /// The share of packets that overtake above which the path is one that reorders.
    private static let overtakingLimit = 0.05
    /// The share of bunched packets above which trains are not trusted.
    private static let bunchingLimit = 0.1
    /// So many standard deviations above the usual a mean may be by chance.
    ///
    /// Packets that overtake each other jitter one by one, and their mean is a good one; those that a hop keeps in order come in clumps.
    private static let doubts = (inOrder: 3.3, overtaking: 2.2)
    /// The time constants of the usual mean, in seconds.
    private static let (up, down) = (20.0, 1.0)
    /// That of a higher mean at the beginning.
    private static let youngest = 2.0

    /// By how much longer a packet travelled than it should.
    private struct Excess: Sendable {
        var sendTime = MediaTime.zero
        var seconds = 0.0
    }

    /// The sums over ``packets``.
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
        /// The share of packets that arrived before one that was sent before them.
        var overtaking = 0.0
        /// The size of a packet, smoothed.
        var packetBits = 4000.0
        /// When the last packet left, and when it arrived.
        private var last = (send: MediaTime(nanoseconds: .min / 2), arrival: MediaTime.zero)

        /// Adds a packet. One that arrives faster than `limit`, in bits per second, is bunched.
        @inline(__always)
        mutating func add(_ packet: SettledPacket, bits: Double, limit: Double) {
            let gap = packet.sendTime.nanoseconds &- last.send.nanoseconds
            if gap > 500_000, gap < 100_000_000 {
                let distance = packet.arrival.nanoseconds &- last.arrival.nanoseconds
                let isBunched = MediaDuration(nanoseconds: distance).seconds * limit < bits
                bunched += ((isBunched ? 1 : 0) - bunched) / 128
                overtaking += ((distance < 0 ? 1 : 0) - overtaking) / 128
            }
            last = (packet.sendTime, packet.arrival)
            packetBits += (bits - packetBits) / 32
        }
    }

    /// The packets of the last half second.
    private var packets = Ring(capacity: 512, filler: Excess())
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
    /// When the first one was measured.
    private var start: MediaTime?
    private var flow = Flow()
    private var lastUpdate: MediaTime?

    /// The usual mean of half a second, in seconds; the two clocks differ.
    var usual: Double { baseline.map { $0 + floor.smallest.value } ?? 0 }

    /// The smallest transit of the last 20 s, in seconds; the two clocks differ.
    var emptyTransit: Double { floor.smallest.value }

    /// Adds those of some packets that arrived, in the order of sending, each with what it should have waited behind our own packets.
    ///
    /// - Parameters:
    ///   - settled: the packets.
    ///   - capacity: what the path carries, in bits per second; `nil` if that is unknown. Then nothing is taken off.
    ///   - rate: what it carries at least.
    mutating func add(_ settled: Span<SettledPacket>, capacity: Double?, rate: Double) {
        var (sums, flow) = (sums, flow)
        let (isBunching, fastest) = (isBunching, fastest)
        // Faster than eight times the capacity: not by a queue.
        let limit = max(rate, fastest) * 8
        packets.update { window, entries in
            for index in settled.indices where settled[index].outcome == .received {
                let packet = settled[index]
                let bits = Double(packet.byteCount) * 8
                let transit = MediaDuration(
                    nanoseconds: packet.arrival.nanoseconds &- packet.sendTime.nanoseconds
                ).seconds
                floor.add(transit, bits: bits, at: packet.sendTime)
                // The packet's own transmission, less that of the one that found the path empty, when it may have been faster; and what
                // our own packets before it take.
                var own = 0.0
                if let capacity {
                    // Where packets bunch the capacity is a guess.
                    own =
                        bits / capacity - floor.smallest.bits / max(fastest, capacity)
                        + (isBunching ? min(packet.wait, 0.05) : packet.wait)
                }
                flow.add(packet, bits: bits, limit: limit)
                QueueMeter.drop(before: packet.sendTime, &window, entries, &sums)
                if window.count == window.capacity { QueueMeter.dropFirst(&window, entries, &sums) }
                let excess = transit - floor.smallest.value - own
                // A place is below the capacity.
                unsafe entries[unchecked: window.append()] = Excess(sendTime: packet.sendTime, seconds: excess)
                sums.add(excess)
            }
        }
        (self.sums, self.flow) = (sums, flow)
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
        isBunching = flow.bunched > (isBunching ? 0.6 : 1) * QueueMeter.bunchingLimit
        if isBunching != wasBunching { baseline = nil }
        guard packets.count >= 4 else { return }
        let count = Double(packets.count)
        let mean = sums.seconds / count
        let deviation = max(0, sums.squares / count - mean * mean).squareRoot()
        let usual = follow(mean, elapsed, at: now)
        surge = self.mean(ofLast: 6, within: .seconds(1)) - (isBunching ? usual : 0)
        scatter += (deviation - scatter) * min(1, elapsed / 2)
        compare(mean, at: now)
        // Less than a packet is no queue.
        let least =
            max(0.006, min(flow.packetBits / rate, 0.1))
            + (isOvertaking ? QueueMeter.doubts.overtaking : QueueMeter.doubts.inOrder) * noise
        standing = max(0, mean - usual - least)
        foreign = max(0, self.mean(ofLast: packets.count, within: .milliseconds(200)) - 0.002)
        // Four deviations above the smallest transit are no jitter, whatever the means were before.
        if isBunching { standing = max(standing, foreign - 0.03 - 4 * scatter) }
    }

    /// Moves the usual mean towards the present one.
    private mutating func follow(_ mean: Double, _ elapsed: Double, at now: MediaTime) -> Double {
        guard let before = baseline else {
            baseline = mean
            if start == nil { start = now }
            return mean
        }
        // The first ones may be far off: at the beginning it follows fast.
        let age = start.map { (now - $0).seconds } ?? 0
        let up = min(max(age, QueueMeter.youngest), QueueMeter.up)
        let usual = before + (mean - before) * min(1, elapsed / (mean < before ? QueueMeter.down : up))
        baseline = usual
        return usual
    }

    /// The mean of the newest packets.
    @inline(__always)
    private mutating func mean(ofLast most: Int, within length: MediaDuration) -> Double {
        guard let newest = packets.last?.sendTime else { return 0 }
        let start = newest - length
        var sum = 0.0
        let count = packets.fromNewest(most) { packet in
            guard packet.sendTime >= start else { return false }
            sum += packet.seconds
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

    @inline(__always)
    private static func drop(
        before sendTime: MediaTime, _ window: inout Ring<Excess>.Window, _ entries: borrowing MutableSpan<Excess>,
        _ sums: inout Sums
    ) {
        let time = sendTime.nanoseconds
        // Few packets say little: then older ones count, too.
        let (usual, longest) = (time &- 500_000_000, time &- 1_500_000_000)
        while window.count > 0 {
            // A place is below the capacity.
            let first = unsafe entries[unchecked: window.first].sendTime.nanoseconds
            guard first < (window.count > 32 ? usual : longest) else { return }
            dropFirst(&window, entries, &sums)
        }
    }

    @inline(__always)
    private static func dropFirst(
        _ window: inout Ring<Excess>.Window, _ entries: borrowing MutableSpan<Excess>, _ sums: inout Sums
    ) {
        // A place is below the capacity.
        unsafe sums.remove(entries[unchecked: window.first].seconds)
        window.removeFirst()
        if window.count == 0 { sums = Sums() }
    }
}
