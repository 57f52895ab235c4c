import RillRTP

/// Detects a retransmission stream (RTX, RFC 4588) by its content, because a capture has no session description: each
/// payload starts with the packet's original sequence number (OSN), and has the original timestamp.
struct RetransmissionTrial {
    private var packetCount = 0
    /// How many of those packets could be retransmissions, by SSRC.
    private var matches: [SSRC: Int] = [:]

    /// After this many packets a stream that does not match is not checked further.
    private static let packetLimit = 64

    /// Whether more packets would add information.
    var isOpen: Bool { packetCount < RetransmissionTrial.packetLimit || original != nil }

    /// The SSRC of the retransmitted packets: more than half of the packets match it; `nil` for any other kind of
    /// stream.
    var original: SSRC? {
        matches.max { $0.value < $1.value }.flatMap { $0.value * 2 > packetCount ? $0.key : nil }
    }

    /// Notes a packet with a payload, and the SSRC that it could be a retransmission for.
    mutating func add(_ original: SSRC?) {
        packetCount += 1
        if let original { matches[original, default: 0] += 1 }
    }
}

/// The timestamps of the newest packets of an SSRC, by sequence number.
struct TimestampRing {
    private var entries: [Entry?] = []

    private struct Entry {
        var number: SequenceNumber
        var timestamp: RTPTimestamp
    }

    /// Packets that are remembered: more than a second at 20 Mbit/s, 32 KiB.
    private static let capacity = 2048
    /// The most consecutive packets that may be missing around a retransmitted one.
    private static let longestGap = 16

    /// Adds the next packet.
    mutating func add(_ number: SequenceNumber, _ timestamp: RTPTimestamp) {
        if entries.isEmpty { entries = Array(repeating: nil, count: TimestampRing.capacity) }
        entries[place(number)] = Entry(number: number, timestamp: timestamp)
    }

    /// Whether a packet of that sequence number had that timestamp. If it did not arrive, whether it may have had it,
    /// judging by its neighbors.
    func fits(_ number: SequenceNumber, _ timestamp: RTPTimestamp) -> Bool {
        guard !entries.isEmpty else { return false }
        if let own = self.timestamp(of: number) { return own == timestamp }
        guard let before = nearest(to: number, by: -1), let after = nearest(to: number, by: 1) else { return false }
        return timestamp.distance(since: before) >= 0 && after.distance(since: timestamp) >= 0
    }

    private func nearest(to number: SequenceNumber, by step: Int) -> RTPTimestamp? {
        for count in 1...TimestampRing.longestGap {
            if let timestamp = timestamp(of: number.advanced(by: step * count)) { return timestamp }
        }
        return nil
    }

    private func timestamp(of number: SequenceNumber) -> RTPTimestamp? {
        entries[place(number)].flatMap { $0.number == number ? $0.timestamp : nil }
    }

    private func place(_ number: SequenceNumber) -> Int { Int(number.rawValue) % TimestampRing.capacity }
}
