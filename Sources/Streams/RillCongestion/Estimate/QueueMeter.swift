import RillCore

/// Measures the queueing delay beside our own packets, from one-way delays by two clocks of unknown offset.
///
/// The virtual queue (``LinkModel``) predicts how long our own packets wait, and this is subtracted. The residual is
/// jitter, cross traffic, and a capacity that fell.
///
/// - Where packets keep their spacing, jitter is small. The minimum one-way delay of 20 s is the base delay (as in
///   LEDBAT), and the mean above it is a queue.
/// - Where packets bunch or overtake each other, the minimum depends on chance. Means of half a second are compared
///   with the usual mean instead, less what their variance explains.
struct QueueMeter: Sendable {
    /// The standing queue in seconds, from means against the usual mean; 0 while their variance explains the
    /// difference.
    private(set) var standing = 0.0
    /// The cross-traffic queue in seconds: the mean residual above the base delay. It is valid for paths that do not
    /// bunch.
    private(set) var crossTraffic = 0.0
    /// The short-term queue in seconds: the mean of the last six packets. It reacts before ``standing``.
    private(set) var shortTerm = 0.0
    /// The cross-traffic queue that the next frame will meet, in seconds: an extrapolation from the newest packets.
    var expected: Double { max(0, crossTraffic + QueueMeter.extrapolation * (shortTerm - crossTraffic)) }
    /// The standard deviation of single packets in seconds, averaged over about two seconds: the jitter.
    private(set) var scatter = 0.02
    /// Whether the path bunches packets that left apart, or reorders them. Wi-Fi aggregation and radio schedulers do
    /// so. Trains measure little there.
    private(set) var isBunching = false

    /// Whether the path reorders packets.
    var isReordering: Bool { flow.reordered > QueueMeter.reorderingLimit }

    /// The path reorders packets if a larger share of them arrives before an earlier one.
    private static let reorderingLimit = 0.05
    /// Trains are not trusted if a larger share of packets is bunched.
    private static let bunchingLimit = 0.1
    /// A mean may exceed the usual one by this number of standard deviations by chance.
    ///
    /// Reordered packets have independent jitter, so their mean is precise. Packets that a hop keeps
    /// in order have correlated delays.
    private static let confidence = (inOrder: 3.3, reordered: 2.2)
    /// The time constants of the usual mean in seconds: slow for increases, which may be queues, and fast for
    /// decreases.
    private static let up = 20.0
    private static let down = 1.0
    /// The time constant for increases at the start, in seconds.
    private static let initialUp = 2.0
    /// The newest packets are half as old as those of the mean, and the next frame arrives about as much later. So
    /// the difference counts twice.
    private static let extrapolation = 2.0
    /// The largest distance of the minimum delay from ``origin``, in nanoseconds. Beyond it, squares could overflow.
    private static let farthest: UInt64 = 10_000_000_000

    /// How packets follow each other: bunching and reordering.
    private struct Flow: Sendable {
        private static let one: Int64 = 1 << 32
        private static let byte: Int64 = 1 << 16

        private var bunchedParts: Int64 = 0
        private var reorderedParts: Int64 = 0
        private var byteParts = 500 * Flow.byte
        /// Whether a packet left before its predecessor, since the last update.
        var isDisordered = false
        /// The send and arrival times of the last packet.
        private var last = (send: MediaTime(nanoseconds: .min / 2), arrival: MediaTime.zero)

        /// The share of packets that arrived closer together than any bottleneck sends them.
        var bunched: Double { Double(bunchedParts) / Double(Flow.one) }
        /// The share of packets that arrived before a packet that was sent earlier.
        var reordered: Double { Double(reorderedParts) / Double(Flow.one) }
        /// The average packet size in bits.
        var packetBits: Double { 8 * Double(byteParts) / Double(Flow.byte) }

        /// Adds a packet. It is bunched if it arrives within less than `limit` nanoseconds of its predecessor.
        @inline(__always)
        mutating func add(_ packet: PacketRecord, arrival: MediaTime, limit: Int64) {
            let gap = packet.sendTime.nanoseconds &- last.send.nanoseconds
            if gap > 500_000, gap < 100_000_000 {
                let distance = arrival.nanoseconds &- last.arrival.nanoseconds
                bunchedParts &+= ((distance < limit ? Flow.one : 0) &- bunchedParts) >> 7
                reorderedParts &+= ((distance < 0 ? Flow.one : 0) &- reorderedParts) >> 7
            } else if gap < 0 {
                isDisordered = true
            }
            last = (packet.sendTime, arrival)
            byteParts &+= (Int64(packet.byteCount) &* Flow.byte &- byteParts) >> 5
        }
    }

    /// Running sums of the packets' residual delays from ``origin``: one-way delay less transmission time and
    /// predicted wait. A difference of two is exact, even if the sums overflow.
    struct Sums: BitwiseCopyable, Sendable {
        /// In nanoseconds.
        fileprivate var total: Int64 = 0
        /// In units of (256 ns)², so that half a second of squares does not overflow.
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
    /// The delay that the sums count from, in nanoseconds.
    ///
    /// It is not the minimum delay. When an exceptionally low minimum expires, means before and after could not be
    /// compared, and a queue that grows meanwhile would be missed.
    private var origin: Int64 = 0
    private var windows = PacketWindows()
    private var floor = WindowedMinimum()
    /// The transmission times at known capacities. The minimum is that of the highest capacity.
    private var transmissions = WindowedMinimum()
    /// The transmission time at the highest known capacity of the last 20 s.
    var shortest: TransmissionTime { TransmissionTime(scaled: transmissions.smallest.value) }
    /// The standard deviation of a mean of half a second, in seconds.
    private(set) var noise = 0.008
    private var lastMean: (mean: Double, time: MediaTime)?
    /// The usual mean of half a second, from ``origin``. It follows decreases within a second and increases within
    /// twenty.
    private var baseline: Double?
    /// The time of the first mean.
    private var start: MediaTime?
    private var flow = Flow()
    private var lastUpdate: MediaTime?

    /// The usual mean of half a second in seconds, by two clocks of unknown offset.
    var usual: Double { baseline.map { $0 + 1e-9 * Double(origin) } ?? 0 }

    /// The base delay: the minimum one-way delay of the last 20 s, by two clocks of unknown offset.
    var baseDelay: MediaDuration { MediaDuration(nanoseconds: floor.smallest.value) }

    /// Resets the measurement for a path whose first packet has a one-way delay of `transit` nanoseconds.
    mutating func begin(at transit: Int64) {
        self = QueueMeter()
        origin = transit
    }

    /// Measures a packet that arrived. Packets come in the order of sending. The caller adds the result to ``sums``.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - arrival: its arrival time.
    ///   - wait: the predicted wait behind our own packets, in nanoseconds.
    ///   - path: the assumed capacity.
    /// - Returns: the residual delay from ``origin``, in nanoseconds.
    @inline(__always)
    mutating func excess(
        of packet: PacketRecord, arrival: MediaTime, wait: Int64, over path: PathCapacity
    ) -> Int64 {
        let byteCount = Int(packet.byteCount)
        let transit = arrival.nanoseconds &- packet.sendTime.nanoseconds
        floor.add(transit, byteCount: packet.byteCount, at: packet.sendTime)
        // Packets that arrive at more than eight times the capacity did not leave a queue that way.
        flow.add(packet, arrival: arrival, limit: path.shortest.of(byteCount) >> 3)
        let own = path.isKnown ? path.usual.of(byteCount) &+ min(wait, path.longestWait) : 0
        return transit &- origin &- own
    }

    /// Updates the measurement, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - packets: the packets that arrived. Those older than half a second are removed.
    ///   - path: the assumed capacity.
    ///   - rate: the send rate in bits per second.
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
        // A delay below the transmission time of a packet is not a queue.
        let least =
            max(0.006, min(flow.packetBits / rate, 0.1))
            + (isReordering ? QueueMeter.confidence.reordered : QueueMeter.confidence.inOrder) * noise
        standing = max(0, mean - usual - least)
        crossTraffic = max(0, self.mean(from: windows.recent, of: packets) - empty(over: path) - 0.002)
        // Four standard deviations above the base delay are not jitter, whatever the usual mean is.
        if isBunching { standing = max(standing, crossTraffic - 0.03 - 4 * scatter) }
    }

    /// Moves the usual mean towards the present one.
    private mutating func follow(_ mean: Double, _ elapsed: Double, at now: MediaTime) -> Double {
        guard let before = baseline else {
            baseline = mean
            if start == nil { start = now }
            return mean
        }
        // The first means may be far off, so the usual one follows fast at the start.
        let age = start.map { (now - $0).seconds } ?? 0
        let up = min(max(age, QueueMeter.initialUp), QueueMeter.up)
        let usual = before + (mean - before) * min(1, elapsed / (mean < before ? QueueMeter.down : up))
        baseline = usual
        return usual
    }

    /// The residual delay from ``origin`` on an empty path, in seconds.
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

    /// The mean residual delay of the packets from an index on, in seconds from ``origin``.
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

    /// Learns the standard deviation of a mean from successive means of half a second.
    private mutating func updateNoise(_ mean: Double, at now: MediaTime) {
        guard let before = lastMean else {
            lastMean = (mean, now)
            return
        }
        guard now - before.time >= .milliseconds(500) else { return }
        // The step raises or lowers the noise by the median of such differences (0.954 standard deviations). A queue
        // that comes and goes hardly moves a median.
        noise = min(max(noise * (abs(mean - before.mean) > 0.954 * noise ? 1.12 : 0.89), 0.0005), 0.010)
        lastMean = (mean, now)
    }

    /// Rebases the base delay to the present one: the queue is not ours, or the path has changed.
    mutating func rebase(at now: MediaTime) {
        floor.forget(before: now - .seconds(1))
        baseline = nil
        transmissions.forget(before: now - .seconds(1))
    }
}
