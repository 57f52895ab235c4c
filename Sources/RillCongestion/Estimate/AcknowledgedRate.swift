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
    /// The bytes that arrived.
    private(set) var byteCount = 0
    /// When the newest packet had arrived at the last smoothing, and the bytes until then.
    private var last: (arrival: MediaTime, byteCount: Int)?
    /// The number of the first packet that is compared.
    private var first = 0

    /// Adds a packet that arrived.
    @inline(__always)
    mutating func add(_ packet: PacketRecord) { byteCount &+= Int(packet.byteCount) }

    /// Smooths, after the packets of a feedback.
    ///
    /// - Parameter newest: when the newest packet arrived.
    mutating func update(newest: MediaTime) {
        guard let last, newest - last.arrival < .seconds(2), newest - last.arrival > .seconds(-1) else {
            last = (newest, byteCount)
            return
        }
        let seconds = (newest - last.arrival).seconds
        guard seconds > 0.02 else { return }
        let rate = Double((byteCount - last.byteCount) * 8) / seconds
        smoothed = smoothed == 0 ? rate : smoothed + (rate - smoothed) * min(1, seconds / (0.5 + seconds))
        self.last = (newest, byteCount)
    }

    /// The share of the arrival time that a single pause takes in a stall.
    private static let stall = 0.55
    private static let length = MediaDuration.milliseconds(80)
    /// The packets that are compared at most.
    private static let most = 256

    /// Compares what left in the last tenth of a second; `nil` for too few packets.
    func slowdown(of packets: Ring<ReceivedPacket>) -> Slowdown? {
        guard let newest = packets.newest else { return nil }
        let end = packets.end - 1
        // The ring has the packets that are forgotten, too.
        let start = max(first, packets.end - AcknowledgedRate.most)
        var index = end
        var later = newest
        var rate: Double?
        var longest = MediaDuration.zero
        while index > start {
            index -= 1
            let entry = packets[index]
            let byteCount = byteCount - later.byteCount
            longest = max(longest, later.arrival - entry.arrival)
            later = entry
            let (sent, arrived) = (newest.sendTime - entry.sendTime, newest.arrival - entry.arrival)
            let isLong = end - index >= 3
            if rate == nil, isLong, arrived >= AcknowledgedRate.length {
                rate = Double(byteCount * 8) / arrived.seconds
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

    /// Forgets packets before a number, as after a cut.
    mutating func forgetPackets(before number: Int) { first = number }

    /// Forgets everything, and compares the packets from a number on.
    mutating func reset(from number: Int) {
        self = AcknowledgedRate()
        first = number
    }
}
