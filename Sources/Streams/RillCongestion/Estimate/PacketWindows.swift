import RillCore

/// A packet that arrived, as the measurements of a path store it.
struct ReceivedPacket: BitwiseCopyable, Sendable {
    var sendTime = MediaTime.zero
    var arrival = MediaTime.zero
    /// The bytes that arrived before it, and the delay sums over their packets.
    var byteCount = 0
    var sums = QueueMeter.Sums()
}

/// Sliding windows over the packets that arrived, by send time before the newest.
///
/// Packets come in the order of sending, unless they were reordered on the path. For packets in order, the start of a
/// window is found from its previous start. Behind reordering it is found packet by packet, as if each had been
/// examined when it came.
struct PacketWindows: Sendable {
    /// From this index on the packets are in the order of sending.
    private var ordered = 0
    /// The end index at the last update.
    private var seen = 0
    /// The index of the first packet of the last 200 ms.
    private(set) var recent = 0

    /// With fewer packets in the usual window, the long one applies. Both are in nanoseconds. A mean of fewer packets
    /// is too noisy.
    private static let few = 32
    private static let usual: Int64 = 500_000_000
    private static let long: Int64 = 1_500_000_000

    /// Finds ``recent``, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - packets: the packets that arrived, at least one.
    ///   - isDisordered: whether one of the new packets left before its predecessor.
    /// - Returns: the index of the first packet to keep. Older packets left more than half a second before the newest
    ///   packet, or before another new one.
    mutating func update(of packets: Ring<ReceivedPacket>, isDisordered: Bool) -> Int {
        if isDisordered { ordered = packets.end - 1 }
        let first = ordered <= packets.first ? firstKept(of: packets) : firstKeptBehindDisorder(of: packets)
        seen = packets.end
        recent = start(within: 200_000_000, of: packets, near: recent, from: first)
        return first
    }

    /// The index of the first of the last six packets that left within the last second, without a longer gap after
    /// it.
    @inline(__always)
    func lastSix(of packets: Ring<ReceivedPacket>) -> Int {
        let first = max(packets.first, packets.end - 6)
        return start(within: 1_000_000_000, of: packets, near: first, from: first)
    }

    /// The first packet after all those that left more than a time before the newest.
    ///
    /// - Parameters:
    ///   - length: the time in nanoseconds.
    ///   - packets: the packets that arrived.
    ///   - guess: an index that may be near.
    ///   - lowest: the lowest index of interest.
    @inline(__always)
    private func start(
        within length: Int64, of packets: Ring<ReceivedPacket>, near guess: Int, from lowest: Int
    ) -> Int {
        let last = packets.end - 1
        let time = packets[last].sendTime.nanoseconds &- length
        var number = min(max(guess, lowest, ordered), last)
        if packets[number].sendTime.nanoseconds < time {
            return packets.skip(from: number) { $0.sendTime.nanoseconds < time }
        }
        while number > lowest, packets[number - 1].sendTime.nanoseconds >= time { number -= 1 }
        return number
    }

    // MARK: Forgetting

    /// The index of the first packet to keep, for packets in order.
    @inline(__always)
    private func firstKept(of packets: Ring<ReceivedPacket>) -> Int {
        let last = packets.end - 1
        let newest = packets[last].sendTime.nanoseconds
        let usual = packets.skip(from: packets.first) {
            $0.sendTime.nanoseconds < newest &- PacketWindows.usual
        }
        guard usual > last - PacketWindows.few else { return usual }
        let long = packets.skip(from: packets.first) {
            $0.sendTime.nanoseconds < newest &- PacketWindows.long
        }
        return max(last - PacketWindows.few, long)
    }

    /// The index of the first packet to keep, as if each new packet had forgotten those that are too old beside it.
    private func firstKeptBehindDisorder(of packets: Ring<ReceivedPacket>) -> Int {
        var first = packets.first
        for number in max(seen, first)..<packets.end {
            let time = packets[number].sendTime.nanoseconds
            while first < number,
                packets[first].sendTime.nanoseconds
                    < time &- (number - first > PacketWindows.few ? PacketWindows.usual : PacketWindows.long)
            {
                first += 1
            }
        }
        return first
    }
}
