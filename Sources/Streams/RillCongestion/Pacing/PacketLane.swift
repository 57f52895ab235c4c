import RillCore

/// The queue of one priority and one stream, in order.
@usableFromInline
struct PacketLane: ~Copyable, Sendable {
    @usableFromInline
    struct Packet: BitwiseCopyable, Sendable {
        /// The caller's identifier of the packet.
        @usableFromInline var token: Int
        @usableFromInline var byteCount: Int
        /// The packet's own pacing rate in bits per second; 0 for that of the pacer.
        @usableFromInline var bitsPerSecond: Int
        /// When it was queued. Packets of one frame are queued at one time.
        @usableFromInline var time: MediaTime

        @inlinable
        init(token: Int, byteCount: Int, bitsPerSecond: Int, time: MediaTime) {
            (self.token, self.byteCount, self.bitsPerSecond, self.time) = (token, byteCount, bitsPerSecond, time)
        }
    }

    @usableFromInline let priority: PacketPriority
    @usableFromInline let stream: Int
    /// The position among all lanes of a pacer, by creation.
    let number: Int
    /// When the lane was last served, as a count of packets. Among lanes of one priority, the one that was served
    /// longest ago is next.
    @usableFromInline var turn = 0
    /// The packets, numbered from the lane's first. The queued ones are `first..<end`.
    @usableFromInline var packets = NumberedRing(capacity: 16, filler: PacketLane.none)
    @usableFromInline var first: Int64 = 0
    @usableFromInline var end: Int64 = 0

    private static let none = Packet(token: 0, byteCount: 0, bitsPerSecond: 0, time: .zero)

    init(_ priority: PacketPriority, stream: Int, number: Int) {
        (self.priority, self.stream, self.number) = (priority, stream, number)
    }

    @inlinable var count: Int { Int(end &- first) }

    @inlinable @inline(__always)
    func holds(_ priority: PacketPriority, _ stream: Int) -> Bool {
        self.stream == stream && self.priority == priority
    }

    /// Whether its first packet leaves before that of another lane.
    func precedes(_ other: borrowing PacketLane) -> Bool {
        (priority.rawValue, turn, number) < (other.priority.rawValue, other.turn, other.number)
    }

    @inlinable @inline(__always)
    mutating func append(_ packet: Packet) {
        if count == packets.capacity { grow() }
        packets[end] = packet
        end &+= 1
    }

    /// Removes the first packet, which must exist.
    @inlinable @inline(__always)
    mutating func removeFirst() -> Packet {
        assert(first < end, "an empty lane has no first packet")
        defer { first &+= 1 }
        return packets[first]
    }

    /// The number of its first packets that may leave together: packets of one frame, without its last.
    ///
    /// - Parameters:
    ///   - most: the limit, above 0.
    ///   - duration: the longest transmission time of them all, in nanoseconds.
    ///   - transmission: the transmission time at the pacing rate.
    func burstLength(most: Int, within duration: Int64, _ transmission: TransmissionTime) -> Int {
        // The lane's last packet leaves alone.
        let most = Int64(min(most, count - 1))
        guard most > 1, packets[first].bitsPerSecond == 0 else { return 1 }
        let time = packets[first].time
        var total = transmission.of(packets[first].byteCount)
        var length: Int64 = 1
        while length < most {
            let next = packets[first + length]
            total += transmission.of(next.byteCount)
            guard next.time == time, next.bitsPerSecond == 0, total <= duration else { break }
            length += 1
        }
        return Int(length)
    }

    @inline(never) @usableFromInline
    mutating func grow() {
        packets.grow(to: 2 * packets.capacity, keeping: first..<end, filler: PacketLane.none)
    }
}

/// The priorities of a ``Pacer``: a packet leaves only when no packet of an earlier case is queued.
public enum PacketPriority: UInt8, CaseIterable, Sendable {
    /// Audio: it is small, and its gaps are most noticeable.
    case audio
    /// RTCP: reports and requests.
    case rtcp
    /// Retransmissions: the receiver already waits for them.
    case retransmission
    /// Packets of a key frame: no later frame can be decoded without it.
    case keyFrame
    /// Packets of a delta frame.
    case deltaFrame
    /// FEC packets: they are useless without the packets that they protect.
    case fec
    /// Padding of probe clusters.
    case padding
}
