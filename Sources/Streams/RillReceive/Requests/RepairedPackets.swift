import RillCore

/// The packets that were repaired last, to find out whether the original arrives after all.
struct RepairedPackets: ~Copyable, Sendable {
    private var ring = FixedStorage(repeating: Packet(), count: RepairedPackets.capacity)
    /// The number of packets that were added.
    private var added = 0

    struct Packet: BitwiseCopyable {
        var sequence = Int64.min
        /// When it was detected as missing.
        var detected = MediaTime.zero
        var repaired = MediaTime.zero
        /// When another packet was last repaired before.
        var formerRepair: MediaTime?
        /// It came without a stream of retransmissions: it may have been the original.
        var mayBeOriginal = false
    }

    /// The most packets, a power of two.
    static let capacity = 128

    mutating func add(_ packet: Packet) {
        ring[ring: added] = packet
        added &+= 1
    }

    /// Removes a packet of which another copy arrived, if that is evidence that its original was not lost; returns it.
    mutating func take(_ sequence: Int64, copy origin: PacketOrigin) -> Packet? {
        for index in 0..<min(added, RepairedPackets.capacity) where ring[index].sequence == sequence {
            let packet = ring[index]
            // Another retransmission says nothing of the original.
            guard packet.mayBeOriginal || origin == .network else { return nil }
            ring[index].sequence = .min
            return packet
        }
        return nil
    }

    mutating func removeAll() {
        for index in 0..<min(added, RepairedPackets.capacity) { ring[index].sequence = .min }
    }
}
