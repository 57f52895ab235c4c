import RillCore

/// The packets of one priority and one stream, in order.
struct PacketLane: Sendable {
    struct Packet: Sendable {
        /// The caller's name for the packet.
        var token: Int
        var byteCount: Int
        /// The rate at which it leaves instead of the pacer's, in bits per second; 0 for the pacer's.
        var bitsPerSecond: Int
    }

    let priority: PacketPriority
    let stream: Int
    /// Its place among all lanes of a pacer, by their first packet.
    let number: Int
    /// When it sent last, as a count of packets: among lanes of one priority the one that waits longest is next.
    var turn = 0
    /// A ring: the packets are at `start`, `start` + 1, … modulo its count, a power of two.
    private var ring: [Packet] = []
    private var start = 0
    private(set) var count = 0

    init(_ priority: PacketPriority, stream: Int, number: Int) {
        (self.priority, self.stream, self.number) = (priority, stream, number)
    }

    @inline(__always)
    func holds(_ priority: PacketPriority, _ stream: Int) -> Bool {
        self.stream == stream && self.priority == priority
    }

    /// Whether its first packet leaves before that of another lane.
    func precedes(_ other: PacketLane) -> Bool {
        (priority.rawValue, turn, number) < (other.priority.rawValue, other.turn, other.number)
    }

    @inline(__always)
    mutating func append(_ packet: Packet) {
        if count == ring.count { grow(with: packet) }
        ring[(start &+ count) & (ring.count &- 1)] = packet
        count &+= 1
    }

    /// Removes the first packet, which must be there.
    @inline(__always)
    mutating func removeFirst() -> Packet {
        let packet = ring[start]
        start = (start &+ 1) & (ring.count &- 1)
        count &-= 1
        return packet
    }

    @inline(never)
    private mutating func grow(with filler: Packet) {
        var grown = [Packet](repeating: filler, count: max(16, 2 * ring.count))
        for index in 0..<count { grown[index] = ring[(start + index) & (ring.count - 1)] }
        (ring, start) = (grown, 0)
    }
}
