import RillCore

/// What arrives: the rate of arrivals, and how it compares with the rate at which the same packets left.
struct AcknowledgedRate: Sendable {
    private struct Entry: Sendable {
        var send = MediaTime.zero
        var arrival = MediaTime.zero
        var byteCount = 0
    }

    /// Packets that arrived more slowly than they left.
    struct Slowdown: Sendable {
        /// The time in which they left over the time in which they arrived.
        var ratio: Double
        /// The newest of them arrived at this rate, in bits per second.
        var rate: Double
        /// Whether a single pause made most of it: then the rate is no measure of what the path carries.
        var isStall = false
    }

    private var packets = Ring(capacity: 256, filler: Entry())
    /// The rate of arrivals, smoothed over half a second, in bits per second; 0 before the first.
    private(set) var smoothed = 0.0
    private var byteCount = 0
    private var last: MediaTime?

    /// Adds those of some packets that arrived, in the order of sending.
    @inline(__always)
    mutating func add(_ settled: Span<SettledPacket>) {
        byteCount &+= packets.update { window, entries in
            var sum = 0
            for index in settled.indices where settled[index].outcome == .received {
                let packet = settled[index]
                let byteCount = Int(packet.byteCount)
                entries[window.append()] = Entry(
                    send: packet.sendTime, arrival: packet.arrival, byteCount: byteCount)
                sum &+= byteCount
            }
            return sum
        }
    }

    /// Smooths, after the packets of a feedback.
    mutating func update() {
        guard let newest = packets.last?.arrival else { return }
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

    /// Compares what left in the last tenth of a second; `nil` for too few packets.
    var slowdown: Slowdown? {
        guard let newest = packets.last else { return nil }
        var index = packets.count - 1
        var (bytes, later) = (0, newest)
        var rate: Double?
        var longest = MediaDuration.zero
        while index > 0 {
            bytes += later.byteCount
            index -= 1
            let entry = packets[index]
            longest = max(longest, later.arrival - entry.arrival)
            later = entry
            let (sent, arrived) = (newest.send - entry.send, newest.arrival - entry.arrival)
            let isLong = packets.count - 1 - index >= 3
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
    mutating func forgetPackets() { packets.removeAll() }

    /// Forgets everything, as on another path.
    mutating func reset() { self = AcknowledgedRate() }
}
