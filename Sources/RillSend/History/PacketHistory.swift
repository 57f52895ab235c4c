import RillCore
import RillRTP

/// The newest packets of a stream, as they were sent: a ring of slots of equal size in one block of memory.
///
/// A packet is written straight into its slot and sent from there; it stays until the ring comes round.
///
/// All memory is reserved when the history is made; a slot is touched with its first packet, so that a stream of few packets
/// holds little.
struct PacketHistory: ~Copyable {
    /// The most packets that a 16-bit number tells apart, looking back.
    static let maximumCapacity = 32767

    /// Packets kept at most.
    let capacity: Int
    /// Packets that were ever written.
    private(set) var count = 0
    /// The number that the next packet must bear.
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

    /// Room for `capacity` packets of up to `slotByteCount` bytes.
    init(capacity: Int, slotByteCount: Int, firstSequenceNumber: SequenceNumber) {
        precondition((1...PacketHistory.maximumCapacity).contains(capacity), "a history of \(capacity) packets")
        self.capacity = capacity
        self.slotByteCount = slotByteCount
        nextSequenceNumber = firstSequenceNumber
        bytes = []
        bytes.reserveCapacity(capacity * slotByteCount)
        slots = [Slot](repeating: Slot(), count: capacity)
    }

    /// Makes the next packet, in place of the oldest; what `write` appends must not exceed a slot.
    mutating func append(at now: MediaTime, isFEC: Bool = false, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let slot = count % capacity
        let range = slot * slotByteCount..<(slot + 1) * slotByteCount
        // In the first round the slot is new; it grows into what was reserved.
        // Filled as a block: byte by byte, as a sequence is appended, costs a debug build more than encoding does.
        if bytes.count < range.upperBound {
            bytes.append(addingCapacity: slotByteCount) { $0.append(repeating: 0, count: slotByteCount) }
        }
        let byteCount = unsafe bytes.withUnsafeMutableBufferPointer { block in
            // The array is this value's own and the range lies in it; the span does not leave this closure.
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

    /// The packet of that number; `nil` when it was overwritten, or never sent.
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

    /// Notes that a packet was sent again; one that is not kept needs no note.
    mutating func noteResent(_ number: SequenceNumber, at now: MediaTime) {
        if let slot = slot(of: number) { slots[slot].retransmittedAt = now }
    }

    /// Whether a packet of that number was ever sent, as far as 16 bits tell.
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
