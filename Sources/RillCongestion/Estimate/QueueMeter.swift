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
    private(set) var crossTraffic = 0.0
    /// The mean of the last six packets above the usual, in seconds: seen earlier than `standing`.
    private(set) var shortTerm = 0.0
    /// What `crossTraffic` may be when the next frame comes there: the newest packets tell where it is going, in seconds.
    var expected: Double { max(0, crossTraffic + QueueMeter.extrapolation * (shortTerm - crossTraffic)) }
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
    private static let confidence = (inOrder: 3.3, overtaking: 2.2)
    /// The time constants of the usual mean, in seconds.
    private static let up = 20.0
    private static let down = 1.0
    /// That of a higher mean at the beginning.
    private static let initialUp = 2.0
    /// The newest packets are half as old as those of the mean, and the next frame comes about as much later.
    private static let extrapolation = 2.0
    /// How far the smallest transit may be from the origin, in nanoseconds.
    private static let farthest: UInt64 = 10_000_000_000

    /// How packets follow each other.
    private struct Flow: Sendable {
        private static let one: Int64 = 1 << 32
        private static let byte: Int64 = 1 << 16

        private var bunchedParts: Int64 = 0
        private var overtakingParts: Int64 = 0
        private var byteParts = 500 * Flow.byte
        /// Whether a packet left before the one before it, since the last update.
        var isDisordered = false
        /// When the last packet left, and when it arrived.
        private var last = (send: MediaTime(nanoseconds: .min / 2), arrival: MediaTime.zero)

        /// The share of packets that arrived faster than any queue sends them.
        var bunched: Double { Double(bunchedParts) / Double(Flow.one) }
        /// The share of packets that arrived before one that was sent before them.
        var overtaking: Double { Double(overtakingParts) / Double(Flow.one) }
        /// The size of a packet in bits, smoothed.
        var packetBits: Double { 8 * Double(byteParts) / Double(Flow.byte) }

        /// Adds a packet. One that arrives within less than `limit`, in nanoseconds, of the one before it is bunched.
        @inline(__always)
        mutating func add(_ packet: PacketRecord, arrival: MediaTime, limit: Int64) {
            let gap = packet.sendTime.nanoseconds &- last.send.nanoseconds
            if gap > 500_000, gap < 100_000_000 {
                let distance = arrival.nanoseconds &- last.arrival.nanoseconds
                bunchedParts &+= ((distance < limit ? Flow.one : 0) &- bunchedParts) >> 7
                overtakingParts &+= ((distance < 0 ? Flow.one : 0) &- overtakingParts) >> 7
            } else if gap < 0 {
                isDisordered = true
            }
            last = (packet.sendTime, arrival)
            byteParts &+= (Int64(packet.byteCount) &* Flow.byte &- byteParts) >> 5
        }
    }

    /// How long all packets travelled beyond what their own transmission and the wait behind our own packets take, from ``origin`` on.
    /// Differences of sums are exact, even if the sums overflow.
    struct Sums: BitwiseCopyable, Sendable {
        /// In nanoseconds.
        fileprivate var total: Int64 = 0
        /// In the square of 256 ns: so half a second of squares does not overflow.
        fileprivate var squares: Int64 = 0

        fileprivate static let square = 256e-9 * 256e-9

        @inline(__always)
        mutating func add(_ time: Int64) {
            total &+= time
            let steps = (time &+ 128) >> 8
            squares &+= steps &* steps
        }
    }

    /// The sums over all packets.
    var sums = Sums()
    /// The transit that the sums count from, in nanoseconds. The smallest one would not do: when a lucky one is forgotten, the means before
    /// and after could not be compared, and a queue that grows meanwhile would not be seen.
    private var origin: Int64 = 0
    private var windows = PacketWindows()
    private var floor = WindowedMinimum()
    /// The transmission times of the known capacities: the shortest is that of the highest.
    private var transmissions = WindowedMinimum()
    /// The transmission time at the highest known capacity of 20 s.
    var shortest: TransmissionTime { TransmissionTime(scaled: transmissions.smallest.value) }
    /// The standard deviation of a mean of half a second, in seconds.
    private(set) var noise = 0.008
    private var lastMean: (mean: Double, time: MediaTime)?
    /// The usual mean of half a second, from ``origin`` on: it follows lower ones within a second, and higher ones within twenty.
    private var baseline: Double?
    /// When the first one was measured.
    private var start: MediaTime?
    private var flow = Flow()
    private var lastUpdate: MediaTime?

    /// The usual mean of half a second, in seconds; the two clocks differ.
    var usual: Double { baseline.map { $0 + 1e-9 * Double(origin) } ?? 0 }

    /// The smallest transit of the last 20 s; the two clocks differ.
    var emptyTransit: MediaDuration { MediaDuration(nanoseconds: floor.smallest.value) }

    /// Begins with the first packet of a path, whose transit is given in nanoseconds.
    mutating func begin(at transit: Int64) {
        self = QueueMeter()
        origin = transit
    }

    /// Takes a packet that arrived, in the order of sending. What is returned is to be added to ``sums``.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - arrival: when it arrived.
    ///   - wait: what it should have waited behind our own packets, in nanoseconds.
    ///   - path: what the path carries.
    /// - Returns: how long it travelled from the origin on, without what it waited and its own transmission, in nanoseconds.
    @inline(__always)
    mutating func excess(
        of packet: PacketRecord, arrival: MediaTime, wait: Int64, over path: PathCapacity
    ) -> Int64 {
        let byteCount = Int(packet.byteCount)
        let transit = arrival.nanoseconds &- packet.sendTime.nanoseconds
        floor.add(transit, byteCount: packet.byteCount, at: packet.sendTime)
        // Faster than eight times the capacity: not by a queue.
        flow.add(packet, arrival: arrival, limit: path.shortest.of(byteCount) >> 3)
        let own = path.isKnown ? path.usual.of(byteCount) &+ min(wait, path.longestWait) : 0
        return transit &- origin &- own
    }

    /// Measures anew, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - packets: those that arrived; only the last half second of them is kept.
    ///   - path: what the path carries.
    ///   - rate: what is sent, in bits per second.
    ///   - now: the current time.
    mutating func update(
        _ packets: inout Ring<ReceivedPacket>, over path: PathCapacity, rate: Double, at now: MediaTime
    ) {
        let elapsed = lastUpdate.map { min((now - $0).seconds, 0.2) } ?? 0
        lastUpdate = now
        if path.isKnown { transmissions.add(path.usual.scaled, at: now) }
        moveOriginIfFar(&packets)
        let wasBunching = isBunching
        isBunching = flow.bunched > (isBunching ? 0.6 : 1) * QueueMeter.bunchingLimit
        if isBunching != wasBunching { baseline = nil }
        guard packets.count > 0 else { return }
        let first = windows.update(of: packets, isDisordered: flow.isDisordered)
        packets.forget(before: first)
        flow.isDisordered = false
        guard packets.count >= 4 else { return }
        let mean = mean(from: packets.first, of: packets)
        let deviation = deviation(of: packets, mean: mean)
        let usual = follow(mean, elapsed, at: now)
        shortTerm =
            self.mean(from: windows.lastSix(of: packets), of: packets) - (isBunching ? usual : empty(over: path))
        scatter += (deviation - scatter) * min(1, elapsed / 2)
        updateNoise(mean, at: now)
        // Less than a packet is no queue.
        let least =
            max(0.006, min(flow.packetBits / rate, 0.1))
            + (isOvertaking ? QueueMeter.confidence.overtaking : QueueMeter.confidence.inOrder) * noise
        standing = max(0, mean - usual - least)
        crossTraffic = max(0, self.mean(from: windows.recent, of: packets) - empty(over: path) - 0.002)
        // Four deviations above the smallest transit are no jitter, whatever the means were before.
        if isBunching { standing = max(standing, crossTraffic - 0.03 - 4 * scatter) }
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
        let up = min(max(age, QueueMeter.initialUp), QueueMeter.up)
        let usual = before + (mean - before) * min(1, elapsed / (mean < before ? QueueMeter.down : up))
        baseline = usual
        return usual
    }

    /// How long packets travel from the origin on when nothing waits, in seconds.
    private func empty(over path: PathCapacity) -> Double {
        let own = path.isKnown ? path.shortest.of(Int(floor.smallest.byteCount)) : 0
        return 1e-9 * Double(floor.smallest.value &- origin &- own)
    }

    /// Follows two clocks that drift apart for hours, so that squares stay exact.
    private mutating func moveOriginIfFar(_ packets: inout Ring<ReceivedPacket>) {
        let distance = floor.smallest.value &- origin
        guard floor.smallest.value < .max, distance.magnitude > QueueMeter.farthest else { return }
        origin &+= distance
        baseline? -= 1e-9 * Double(distance)
        packets.forget(before: packets.end)
    }

    /// The mean of what the packets from a number on travelled from the origin on, in seconds.
    @inline(__always)
    private func mean(from number: Int, of packets: Ring<ReceivedPacket>) -> Double {
        Double(sums.total &- packets[number].sums.total) / (1e9 * Double(packets.end &- number))
    }

    /// The standard deviation of all packets, in seconds.
    @inline(__always)
    private func deviation(of packets: Ring<ReceivedPacket>, mean: Double) -> Double {
        let squares = Sums.square * Double(sums.squares &- packets[packets.first].sums.squares)
        return max(0, squares / Double(packets.count) - mean * mean).squareRoot()
    }

    /// Learns from means of half seconds that follow each other how much such a mean scatters.
    private mutating func updateNoise(_ mean: Double, at now: MediaTime) {
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
        transmissions.forget(before: now - .seconds(1))
    }
}
