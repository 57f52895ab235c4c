import RillRTP

/// Tells a stream of retransmissions (RTX, RFC 4588) by what it is, for a capture holds no session description: each of its
/// payloads begins with the number that the packet had before (OSN), and each timestamp is the one that packet had.
struct RetransmissionTrial {
    private var packetCount = 0
    /// How many of those packets could be another source's, sent again.
    private var matches: [SSRC: Int] = [:]

    /// From here on a stream that seems to be none is looked at no more.
    private static let packetLimit = 64

    /// Whether more packets would tell more.
    var isOpen: Bool { packetCount < RetransmissionTrial.packetLimit || original != nil }

    /// The source of what is sent again here: more than half of the packets fit it; `nil` for a stream of any other kind.
    var original: SSRC? {
        matches.max { $0.value < $1.value }.flatMap { $0.value * 2 > packetCount ? $0.key : nil }
    }

    /// Takes note of a packet that carries anything, and whose packet it could be.
    mutating func add(_ original: SSRC?) {
        packetCount += 1
        if let original { matches[original, default: 0] += 1 }
    }
}

/// The timestamps of the newest packets of a source, by number.
struct TimestampRing {
    private var entries: [Entry?] = []

    private struct Entry {
        var number: SequenceNumber
        var timestamp: RTPTimestamp
    }

    /// Packets that are remembered: a second and more of 20 Mbit/s, 32 KiB.
    private static let capacity = 2048
    /// How many packets in a row may be missing around one that was sent again.
    private static let longestGap = 16

    /// Takes the next packet.
    mutating func add(_ number: SequenceNumber, _ timestamp: RTPTimestamp) {
        if entries.isEmpty { entries = Array(repeating: nil, count: TimestampRing.capacity) }
        entries[place(number)] = Entry(number: number, timestamp: timestamp)
    }

    /// Whether a packet of that number had that timestamp; of one that did not come, whether it may have had it, as far
    /// as those around it tell.
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
