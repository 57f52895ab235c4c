import RillCore

/// Measures what stands in the path's queue, from the transits of packets: the time from departure to arrival, by two clocks whose
/// difference is unknown.
///
/// Single transits scatter, and every frame fills the queue for a moment. So means of half a second are compared with the smallest such mean
/// of the last 20 s, less what their scatter explains.
struct QueueMeter: Sendable {
    /// What stands in the queue, in seconds; zero while scatter explains everything.
    private(set) var standing = 0.0
    /// The smallest mean transit of the last 20 s, in seconds.
    private(set) var lowest = 0.0
    /// The standard error of a mean transit, in seconds.
    private(set) var error = 0.0
    /// The scatter that the path itself adds, in seconds: of the first packets of trains, before which little queues.
    private(set) var jitter = 0.0

    private struct Transit: Sendable {
        var sendTime: MediaTime
        var train: Int32
        var seconds: Double
    }

    /// The packets of the last half second.
    private var packets: [Transit] = []
    /// The first packets of the trains of the last two seconds.
    private var firsts: [Transit] = []
    /// The mean transit at each of the last updates: at one feedback every 50 ms, of 20 s.
    private var means: [Double] = []
    private static let meanCount = 400

    /// Adds a packet that arrived, in the order of sending.
    mutating func add(_ packet: PacketRecord, transit: Double) {
        let entry = Transit(sendTime: packet.sendTime, train: packet.train, seconds: transit)
        packets.append(entry)
        if firsts.last?.train != packet.train { firsts.append(entry) }
    }

    /// Measures anew, after the packets of a feedback.
    mutating func update() {
        guard let newest = packets.last?.sendTime else { return }
        packets.removeAll { newest - $0.sendTime > .milliseconds(500) }
        firsts.removeAll { newest - $0.sendTime > .seconds(2) }
        guard packets.count >= 4 else { return }
        let count = Double(packets.count)
        let mean = packets.reduce(0) { $0 + $1.seconds } / count
        let variance = packets.reduce(0) { $0 + ($1.seconds - mean) * ($1.seconds - mean) } / count
        means.append(mean)
        if means.count > QueueMeter.meanCount { means.removeFirst() }
        lowest = means.min() ?? mean
        error = (variance / trainCount).squareRoot()
        standing = max(0, mean - lowest - 0.006 - 4.5 * error)
        jitter = QueueMeter.medianDeviation(of: firsts.map(\.seconds))
    }

    /// The packets of a train share their fate: only the trains are independent.
    private var trainCount: Double {
        var (count, last) = (0.0, Int32.min)
        for packet in packets where packet.train != last { (count, last) = (count + 1, packet.train) }
        return count
    }

    /// The median distance from the median: a few packets behind a large frame do not move it. Zero for fewer than ten values.
    static func medianDeviation(of values: [Double]) -> Double {
        guard values.count >= 10 else { return 0 }
        let median = values.sorted()[values.count / 2]
        return values.map { abs($0 - median) }.sorted()[values.count / 2]
    }
}
