import RillRTP

/// The replay state of evicted sources: the index up to which their packets were unprotected.
///
/// A packet of an evicted source is accepted only above that index. So its captured packets cannot be replayed, and
/// an attacker without a key can neither restore a source nor evict one. An entry takes a few dozen bytes; a stream
/// takes kilobytes.
struct FormerSources {
    /// A source as it was when it made room.
    struct Source {
        /// The newest index of RTP, for all keys.
        var index: PacketIndex
        /// The newest SRTCP index, for each key's slot.
        var feedback = NewestFeedback()
    }

    let limit: Int
    private var sources: [SSRC: Source] = [:]

    init(limit: Int) { self.limit = limit }

    var count: Int { sources.count }
    var isFull: Bool { sources.count >= limit }

    subscript(ssrc: SSRC) -> Source? {
        get { sources[ssrc] }
        set { sources[ssrc] = newValue }
    }

    /// Forgets what belongs to a key that was removed.
    mutating func removeKey(_ slot: Int) {
        for ssrc in sources.keys { sources[ssrc]?.feedback[slot] = nil }
    }
}

/// The newest SRTCP index of a source for each key: it counts from the start for each (RFC 3711 §3.2.1).
struct NewestFeedback {
    /// Mostly there is one key, in the first slot.
    private var first: UInt32?
    private var others: [Int: UInt32] = [:]

    subscript(slot: Int) -> UInt32? {
        @inline(__always) get { slot == 0 ? first : others[slot] }
        set { if slot == 0 { first = newValue } else { others[slot] = newValue } }
    }

    /// Records the index of a packet.
    mutating func note(_ index: UInt32, slot: Int) { self[slot] = max(self[slot] ?? 0, index) }
}

/// Limits how often the rollover counter of an unknown source is searched for.
///
/// A search costs as much as a few dozen packets, and an attacker could cause one with each forged packet. The credit
/// allows 32 searches, and every 32 datagrams add one. A flood therefore costs at most twice as much as its packets,
/// and a source that joins during a flood is accepted after a few dozen packets.
struct SearchCredit {
    private static let price = 32
    private static let limit = 32 * price
    private var credit = limit

    /// Adds the credit of one datagram.
    mutating func add() { credit = min(credit + 1, SearchCredit.limit) }

    /// Returns whether a search is allowed, and takes its price if so.
    mutating func take() -> Bool {
        guard credit >= SearchCredit.price else { return false }
        credit -= SearchCredit.price
        return true
    }
}
