public import RillCore
import RillRTP

/// The most recent packets of a stream, as they were sent: a ring of slots of equal size in one block of memory.
///
/// A packet is written directly into its slot and sent from there. It is kept until the ring wraps around to its
/// slot.
///
/// All memory is reserved at creation. A slot is first touched by its first packet, so that a stream of few packets
/// uses little physical memory.
struct PacketHistory: ~Copyable {
    /// The maximum number of past packets that a 16-bit sequence number distinguishes.
    static let maximumCapacity = 32767

    /// The maximum number of packets kept.
    let capacity: Int
    /// The number of packets ever written.
    private(set) var count = 0
    /// The sequence number that the next packet must have.
    private(set) var nextSequenceNumber: SequenceNumber
    private let slotByteCount: Int
    private var bytes: [UInt8]
    private var slots: [Slot]

    private struct Slot {
        var byteCount = 0
        var sentAt = MediaTime.zero
        var retransmittedAt: MediaTime?
        var isFEC = false
    }

    /// A history of up to `capacity` packets of up to `slotByteCount` bytes.
    init(capacity: Int, slotByteCount: Int, firstSequenceNumber: SequenceNumber) {
        precondition((1...PacketHistory.maximumCapacity).contains(capacity), "a history of \(capacity) packets")
        self.capacity = capacity
        self.slotByteCount = slotByteCount
        nextSequenceNumber = firstSequenceNumber
        bytes = []
        bytes.reserveCapacity(capacity * slotByteCount)
        slots = [Slot](repeating: Slot(), count: capacity)
    }

    /// Writes the next packet, replacing the oldest. Traps if `write` appends more than a slot.
    mutating func append(at now: MediaTime, isFEC: Bool = false, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let slot = count % capacity
        let range = slot * slotByteCount..<(slot + 1) * slotByteCount
        // In the first round, a new slot extends the array into its reserved memory. It is filled as a block:
        // appending byte by byte, as a sequence, costs more than encoding in debug builds.
        if bytes.count < range.upperBound {
            bytes.append(addingCapacity: slotByteCount) { $0.append(repeating: 0, count: slotByteCount) }
        }
        let byteCount = unsafe bytes.withUnsafeMutableBufferPointer { block in
            // The array belongs to this value and contains the range; the span does not leave this closure.
            let memory = block.extracting(range)
            var output = unsafe OutputSpan(buffer: memory, initializedCount: 0)
            write(&output)
            return unsafe output.finalize(for: memory)
        }
        slots[slot] = Slot(byteCount: byteCount, sentAt: now, isFEC: isFEC)
        count += 1
        nextSequenceNumber = nextSequenceNumber.next
    }

    /// The packet that was written last.
    var newest: SentPacket? {
        @_lifetime(borrow self)
        get { packet(nextSequenceNumber.advanced(by: -1)) }
    }

    /// Returns the packet with that sequence number; `nil` if it was overwritten or never sent.
    @_lifetime(borrow self)
    func packet(_ number: SequenceNumber) -> SentPacket? {
        guard let slot = slot(of: number) else { return nil }
        let start = slot * slotByteCount
        let range = start..<start + slots[slot].byteCount
        return SentPacket(
            bytes: bytes.span.extracting(range), sentAt: slots[slot].sentAt,
            retransmittedAt: slots[slot].retransmittedAt,
            isFEC: slots[slot].isFEC)
    }

    /// Records a retransmission. Does nothing if the packet is no longer kept.
    mutating func noteRetransmitted(_ number: SequenceNumber, at now: MediaTime) {
        if let slot = slot(of: number) { slots[slot].retransmittedAt = now }
    }

    /// Returns whether a packet with that sequence number was ever sent, as far as 16 bits allow.
    func wasSent(_ number: SequenceNumber) -> Bool {
        let packetsAgo = nextSequenceNumber.distance(since: number)
        return packetsAgo >= 1 && packetsAgo <= count
    }

    private func slot(of number: SequenceNumber) -> Int? {
        let packetsAgo = nextSequenceNumber.distance(since: number)
        guard packetsAgo >= 1, packetsAgo <= min(count, capacity) else { return nil }
        return (count - packetsAgo) % capacity
    }
}

/// A packet that was sent, in the memory of the sender's history. The view must not outlive a call that changes the
/// history.
public struct SentPacket: ~Escapable {
    /// The whole RTP packet; if packets are wrapped in RED, the packet before wrapping.
    public let bytes: Span<UInt8>
    /// The time when it was sent.
    public let sentAt: MediaTime

    /// The time of its latest retransmission; `nil` if it was never retransmitted.
    public let retransmittedAt: MediaTime?
    /// Whether it is an FEC packet.
    public let isFEC: Bool

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, sentAt: MediaTime, retransmittedAt: MediaTime?, isFEC: Bool) {
        self.bytes = bytes
        self.sentAt = sentAt
        self.retransmittedAt = retransmittedAt
        self.isFEC = isFEC
    }
}
