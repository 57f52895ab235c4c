import RillCore

/// The acknowledged rate: the bitrate at which packets arrived, as feedback reports it.
///
/// It also compares departures with arrivals over 80 ms and more. This is the overload signal: a path whose delivery
/// rate falls far below the send rate. GCC uses a delay gradient for that purpose. The ratio reacts to a drop of the
/// capacity within one or two feedbacks.
struct AcknowledgedRate: Sendable {
    /// A run of packets that took longer to arrive than to leave.
    struct Slowdown: Sendable {
        /// The send time span over the arrival time span: the delivery rate as a share of the send rate.
        var ratio: Double
        /// The delivery rate of the newest packets, in bits per second.
        var rate: Double
        /// Whether one gap takes most of the arrival span. Such a stall (a handover, a scheduler's pause) does not
        /// measure the capacity.
        var isStall = false
    }

    /// The acknowledged rate in bits per second, an exponential average with a time constant of 0.5 s; 0 before the
    /// first.
    private(set) var smoothed = 0.0
    /// The total of bytes that arrived.
    private(set) var byteCount = 0
    /// The newest arrival and the total of bytes at the last update of the average.
    private var last: (arrival: MediaTime, byteCount: Int)?
    /// The index of the first packet that ``slowdown(of:)`` considers.
    private var first = 0

    /// Adds the bytes of a packet that arrived.
    @inline(__always)
    mutating func add(_ packet: PacketRecord) { byteCount &+= Int(packet.byteCount) }

    /// Updates the average. Call it once for each feedback, after its packets.
    ///
    /// A gap of more than 2 s between arrivals restarts the measurement, and so do arrivals that go back by more than
    /// 1 s. Intervals below 20 ms are merged with the next one: the rate of so few packets is noise.
    ///
    /// - Parameter newest: the arrival time of the newest packet, by the receiver's clock.
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

    /// A gap of this share of the arrival span, and of at least 60 ms, makes the slowdown a stall.
    private static let stall = 0.55
    private static let length = MediaDuration.milliseconds(80)
    /// The number of packets that are compared at most. It bounds the cost of one feedback.
    private static let most = 256

    /// Compares the spans of departure and arrival of the newest packets that left within at least 80 ms.
    ///
    /// - Returns: the comparison; `nil` with fewer than four packets within 500 ms.
    func slowdown(of packets: Ring<ReceivedPacket>) -> Slowdown? {
        guard let newest = packets.newest else { return nil }
        let end = packets.end - 1
        // The ring still holds the packets that were forgotten.
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

    /// Ignores packets before an index. A cut calls it, so that the same slowdown causes one cut only.
    mutating func forgetPackets(before number: Int) { first = number }

    /// Resets the measurement, which then starts with the packets from an index on.
    mutating func reset(from number: Int) {
        self = AcknowledgedRate()
        first = number
    }
}
