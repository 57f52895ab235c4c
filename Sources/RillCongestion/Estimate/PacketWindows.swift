import RillCore

/// A packet that arrived, as the meters of a path remember it.
struct ReceivedPacket: BitwiseCopyable, Sendable {
    var sendTime = MediaTime.zero
    var arrival = MediaTime.zero
    /// The bytes that arrived before it, and the sums over their packets.
    var byteCount = 0
    var sums = QueueMeter.Sums()
}

/// Which of the packets that arrived left within a time before the newest.
///
/// Packets come in the order of sending, but for those that were overtaken. Where they are in order the start of a window is found from where
/// it was; behind disorder packet by packet, as if each had been looked at when it came.
struct PacketWindows: Sendable {
    /// From this number on packets are in the order of sending.
    private var ordered = 0
    /// The number behind the packets of the last update.
    private var seen = 0
    /// The first packet of the last 200 ms.
    private(set) var recent = 0

    /// So few packets say little: then those of a longer time count, in nanoseconds.
    private static let few = 32
    private static let usual: Int64 = 500_000_000
    private static let long: Int64 = 1_500_000_000

    /// Finds ``recent``, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - packets: those that arrived, at least one.
    ///   - isDisordered: whether one of those that came left before the one before it.
    /// - Returns: the first packet to keep: what left more than half a second before the newest, or before one that came with it, is to be
    ///   forgotten.
    mutating func update(of packets: Ring<ReceivedPacket>, isDisordered: Bool) -> Int {
        if isDisordered { ordered = packets.end - 1 }
        let first = ordered <= packets.first ? firstKept(of: packets) : firstKeptBehindDisorder(of: packets)
        seen = packets.end
        recent = start(within: 200_000_000, of: packets, near: recent, from: first)
        return first
    }

    /// The first of the last six packets that left in the last second, without a longer pause behind it.
    @inline(__always)
    func lastSix(of packets: Ring<ReceivedPacket>) -> Int {
        let first = max(packets.first, packets.end - 6)
        return start(within: 1_000_000_000, of: packets, near: first, from: first)
    }

    /// The first packet behind all those that left more than some nanoseconds before the newest.
    ///
    /// - Parameters:
    ///   - length: the nanoseconds.
    ///   - packets: those that arrived.
    ///   - guess: a number that may be near.
    ///   - lowest: the lowest number of interest.
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

    /// The first packet to keep, of packets in order.
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

    /// The first packet to keep, if each that came since the last update had forgotten those that are too old beside it.
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
