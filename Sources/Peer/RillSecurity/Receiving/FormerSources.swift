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
