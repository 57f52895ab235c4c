import RillRTP

/// RFC 3711 §3.3.1: the number of an RTP packet that never wraps, 2^16 times the rollover counter and the sequence number.
struct PacketIndex {
    /// The newest of the packets that were protected, or proved to be genuine.
    private(set) var newest: Int64?
    /// The rollover counter that the app has told of, until there is a packet.
    private var told: UInt32?

    init(rolloverCounter: UInt32? = nil) {
        told = rolloverCounter
    }

    /// How often the numbers have begun anew, as far as that is known.
    var rolloverCounter: UInt32? { newest.map { UInt32(truncatingIfNeeded: $0 >> 16) } ?? told }

    /// The index of a packet of that number: the short way round from the newest.
    @inline(__always)
    func estimate(_ number: UInt16) -> Int64 {
        guard let newest else { return Int64(told ?? 0) << 16 | Int64(number) }
        return max(Int64(number), newest &+ Int64(Int16(truncatingIfNeeded: Int64(number) &- newest)))
    }

    /// The rollover counter of a packet of that number.
    func rolloverCounter(of number: UInt16) -> UInt32 { UInt32(truncatingIfNeeded: estimate(number) >> 16) }

    /// Takes note of a packet.
    @inline(__always)
    mutating func note(_ index: Int64) {
        if index > newest ?? .min { newest = index }
    }
}
