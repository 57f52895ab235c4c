import RillRTP

/// The index of an RTP packet, which never wraps: 2^16 times the rollover counter plus the sequence number (RFC 3711
/// §3.3.1).
struct PacketIndex {
    /// The newest index among protected or authenticated packets.
    private(set) var newest: Int64?
    /// The rollover counter that the app has provided, used until the first packet.
    private var told: UInt32?

    init(rolloverCounter: UInt32? = nil) {
        told = rolloverCounter
    }

    /// The number of times the sequence number has wrapped; `nil` if unknown.
    var rolloverCounter: UInt32? { newest.map { UInt32(truncatingIfNeeded: $0 >> 16) } ?? told }

    /// Returns the index of a packet with that sequence number: the one closest to the newest.
    @inline(__always)
    func estimate(_ number: UInt16) -> Int64 {
        guard let newest else { return Int64(told ?? 0) << 16 | Int64(number) }
        return max(Int64(number), newest &+ Int64(Int16(truncatingIfNeeded: Int64(number) &- newest)))
    }

    /// Returns the rollover counter of a packet with that sequence number.
    func rolloverCounter(of number: UInt16) -> UInt32 { UInt32(truncatingIfNeeded: estimate(number) >> 16) }

    /// Records the index of a packet.
    @inline(__always)
    mutating func note(_ index: Int64) {
        if index > newest ?? .min { newest = index }
    }
}
