import RillCore

/// The packets of one priority and one stream, in order.
struct PacketLane: Sendable {
    struct Packet: Sendable {
        /// The caller's name for the packet.
        var token: Int
        var byteCount: Int
        var enqueued: MediaTime
        /// The rate at which it leaves instead of the pacer's.
        var rate: Bitrate?
    }

    let stream: Int
    /// A ring: the packets are at `start`, `start` + 1, … modulo its count, a power of two.
    private var ring: [Packet] = []
    private var start = 0
    private(set) var count = 0
    private(set) var byteCount = 0

    init(stream: Int) { self.stream = stream }

    var first: Packet? { count > 0 ? ring[start] : nil }

    mutating func append(_ packet: Packet) {
        if count == ring.count { grow(with: packet) }
        ring[(start + count) & (ring.count - 1)] = packet
        count += 1
        byteCount += packet.byteCount
    }

    mutating func removeFirst() -> Packet? {
        guard count > 0 else { return nil }
        let packet = ring[start]
        start = (start + 1) & (ring.count - 1)
        count -= 1
        byteCount -= packet.byteCount
        return packet
    }

    private mutating func grow(with filler: Packet) {
        var grown = [Packet](repeating: filler, count: max(16, 2 * ring.count))
        for index in 0..<count { grown[index] = ring[(start + index) & (ring.count - 1)] }
        (ring, start) = (grown, 0)
    }
}
