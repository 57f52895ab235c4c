import RillRTP

/// The sequence numbers of one stream that was sent, and the packets of the transport that bore them.
struct SentStream: Sendable {
    let ssrc: SSRC
    /// The extended number of the newest packet.
    private(set) var newest: Int64
    /// The transport's number of the last packet that was recorded.
    private(set) var lastNumber: Int64 = -1
    /// No packet of the stream before this one has an open outcome.
    var firstOpen: Int64

    struct Slot: Sendable {
        var sequence: Int64
        var number: Int64
    }

    private static let initialCapacity = 64
    /// By sequence number modulo its count, a power of two.
    private(set) var slots: [Slot]

    /// A stream whose first packet has that number.
    init(_ ssrc: SSRC, first: SequenceNumber) {
        self.ssrc = ssrc
        newest = Int64(first.rawValue)
        firstOpen = newest
        slots = [Slot](repeating: Slot(sequence: -1, number: -1), count: SentStream.initialCapacity)
    }

    /// The packets that are remembered.
    var capacity: Int { slots.count }

    /// The extended number that is closest to the newest one sent.
    func extended(_ number: SequenceNumber) -> Int64 {
        newest &+ Int64(Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: newest)))
    }

    /// The transport's number of a packet; `nil` if it was not sent, or is not remembered.
    func number(of sequence: Int64) -> Int64? {
        let slot = slots[place(sequence)]
        return slot.sequence == sequence ? slot.number : nil
    }

    /// Records a packet. Grows while that would overwrite a packet from `oldest` on, up to `limit` packets.
    ///
    /// - Returns: the transport's number of an earlier packet with the same sequence number, if one is remembered.
    mutating func record(_ sequence: Int64, as number: Int64, oldest: Int64, limit: Int) -> Int64? {
        while slots[place(sequence)].sequence != sequence, slots[place(sequence)].number >= oldest, slots.count < limit
        {
            grow()
        }
        let place = place(sequence)
        let before = slots[place]
        slots[place] = Slot(sequence: sequence, number: number)
        newest = max(newest, sequence)
        lastNumber = number
        return before.sequence == sequence ? before.number : nil
    }

    private func place(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (slots.count - 1) }

    private mutating func grow() {
        let empty = Slot(sequence: -1, number: -1)
        var grown = [Slot](repeating: empty, count: 2 * slots.count)
        for slot in slots where slot.number >= 0 {
            let place = Int(truncatingIfNeeded: slot.sequence) & (grown.count - 1)
            // Old packets may share a place in the larger ring: the newest one stays.
            if slot.number > grown[place].number { grown[place] = slot }
        }
        slots = grown
    }
}
