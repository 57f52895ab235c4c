import RillCore

/// The packets that were repaired last, to find out whether the original arrives after all. A packet takes the place of
/// the one as many numbers before it as there are places.
struct RepairedPackets: ~Copyable, Sendable {
    private var ring = FixedStorage(repeating: Packet(), count: RepairedPackets.capacity)

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

    mutating func add(_ packet: Packet) { ring[ring: Int(packet.sequence)] = packet }

    /// Removes a packet of which another copy arrived, if that is evidence that its original was not lost; returns it.
    mutating func take(_ sequence: Int64, copy origin: PacketOrigin) -> Packet? {
        let packet = ring[ring: Int(sequence)]
        // Another retransmission says nothing of the original.
        guard packet.sequence == sequence, packet.mayBeOriginal || origin == .network else { return nil }
        ring[ring: Int(sequence)].sequence = .min
        return packet
    }

    mutating func removeAll() {
        for index in 0..<RepairedPackets.capacity { ring[index].sequence = .min }
    }
}
