public import RillCore
public import RillRTP

/// The sequence numbers of one sent stream, and their transport-wide numbers.
struct SentStream: Sendable {
    let ssrc: SSRC
    /// The newest sequence number, extended.
    private(set) var newest: Int64
    /// The transport-wide number of the last recorded packet.
    private(set) var lastNumber: Int64 = -1
    /// All packets of the stream before this one have a known outcome.
    var firstOpen: Int64

    struct Slot: Sendable {
        var sequence: Int64
        var number: Int64
    }

    private static let initialCapacity = 64
    /// By sequence number modulo the count, a power of two.
    private(set) var slots: [Slot]

    /// Creates a stream with the number of its first packet.
    init(_ ssrc: SSRC, first: SequenceNumber) {
        self.ssrc = ssrc
        newest = Int64(first.rawValue)
        firstOpen = newest
        slots = [Slot](repeating: Slot(sequence: -1, number: -1), count: SentStream.initialCapacity)
    }

    /// The number of packets that are stored.
    var capacity: Int { slots.count }

    /// Extends a number to the value closest to the newest one.
    func extended(_ number: SequenceNumber) -> Int64 {
        newest &+ Int64(Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: newest)))
    }

    /// The transport-wide number of a packet; `nil` if it was not sent or was forgotten.
    func number(of sequence: Int64) -> Int64? {
        let slot = slots[place(sequence)]
        return slot.sequence == sequence ? slot.number : nil
    }

    /// Records a packet. The table grows, up to `limit` packets, instead of overwriting a packet from `oldest` on.
    ///
    /// - Returns: the transport-wide number of an earlier packet with the same sequence number, if it is known.
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
            // Two old packets may share a place in the larger table: the newer one stays.
            if slot.number > grown[place].number { grown[place] = slot }
        }
        slots = grown
    }
}

/// A sent packet, as congestion control stores it.
public struct PacketRecord: Equatable, Sendable {
    /// The extended transport-wide sequence number. Packets without one on the wire are counted, too.
    public var number: Int64
    /// The time when the packet was passed to the network.
    public var sendTime: MediaTime
    /// The size on the path in bytes, with the headers of IP and UDP and the overhead of SRTP.
    public var byteCount: Int32
    /// The packet's purpose.
    public var kind: OutgoingPacket.Kind
    /// The number of its train. The packets of a train left the pacer without a pause between them.
    public var train: Int32
    /// The ECN field at the receiver, if feedback reports it (RFC 8888) and the outcome is
    /// ``PacketOutcome/received(arrival:)``.
    public var mark = CongestionControlFeedback.ECNMark.notCapable
    /// Whether the previous packet was missing when this outcome was resolved. The time between the two arrivals then
    /// covers more than this packet.
    public var followsMissing = false
}

/// The outcome of a sent packet, as feedback reports it for the first time.
public enum PacketOutcome: Equatable, Sendable {
    /// The packet arrived, at this time of the receiver's clock, whose origin is unknown.
    case received(arrival: MediaTime)
    /// The packet was reported as missing until the receiver stopped listing it.
    case lost
    /// The receiver stopped listing the packet, and all feedback that listed it was lost.
    case unknown
}
