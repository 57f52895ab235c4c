import RillCore

/// What arrives: the rate of arrivals, and how it compares with the rate at which the same packets left.
struct AcknowledgedRate: Sendable {
    /// Packets that arrived more slowly than they left.
    struct Slowdown: Sendable {
        /// The time in which they left over the time in which they arrived.
        var ratio: Double
        /// The newest of them arrived at this rate, in bits per second.
        var rate: Double
        /// Whether a single pause made most of it: then the rate is no measure of what the path carries.
        var isStall = false
    }

    /// The rate of arrivals, smoothed over half a second, in bits per second; 0 before the first.
    private(set) var smoothed = 0.0
    /// The bytes that arrived since the last smoothing.
    private var byteCount = 0
    /// The packets that arrived since the last cut.
    private var packetCount = 0
    private var last: MediaTime?

    /// Adds packets that arrived.
    mutating func add(_ byteCount: Int, packets count: Int) {
        self.byteCount &+= byteCount
        packetCount &+= count
    }

    /// Smooths, after the packets of a feedback.
    ///
    /// - Parameter newest: when the newest packet arrived.
    mutating func update(newest: MediaTime) {
        guard let last, newest - last < .seconds(2), newest - last > .seconds(-1) else {
            (last, byteCount) = (newest, 0)
            return
        }
        let seconds = (newest - last).seconds
        guard seconds > 0.02 else { return }
        let rate = Double(byteCount * 8) / seconds
        smoothed = smoothed == 0 ? rate : smoothed + (rate - smoothed) * min(1, seconds / (0.5 + seconds))
        (self.last, byteCount) = (newest, 0)
    }

    /// The share of the arrival time that a single pause takes in a stall.
    private static let stall = 0.55
    private static let length = MediaDuration.milliseconds(80)
    /// The packets that are compared at most.
    private static let most = 256

    /// Compares what left in the last tenth of a second; `nil` for too few packets.
    func slowdown(of packets: Ring<ReceivedPacket>) -> Slowdown? {
        guard let newest = packets.last else { return nil }
        let end = packets.count - 1
        let start = max(0, packets.count - min(packetCount, AcknowledgedRate.most))
        var index = end
        var (bytes, later) = (0, newest)
        var rate: Double?
        var longest = MediaDuration.zero
        while index > start {
            bytes += Int(later.byteCount)
            index -= 1
            let entry = packets[index]
            longest = max(longest, later.arrival - entry.arrival)
            later = entry
            let (sent, arrived) = (newest.sendTime - entry.sendTime, newest.arrival - entry.arrival)
            let isLong = end - index >= 3
            if rate == nil, isLong, arrived >= AcknowledgedRate.length {
                rate = Double(bytes * 8) / arrived.seconds
            }
            guard sent < .milliseconds(500) else { return nil }
            if isLong, sent >= AcknowledgedRate.length, let rate {
                return Slowdown(
                    ratio: sent.seconds / arrived.seconds, rate: rate,
                    isStall: longest.seconds > max(0.06, AcknowledgedRate.stall * arrived.seconds))
            }
        }
        return nil
    }

    /// Forgets single packets, as after a cut.
    mutating func forgetPackets() { packetCount = 0 }

    /// Forgets everything, as on another path.
    mutating func reset() { self = AcknowledgedRate() }
}
