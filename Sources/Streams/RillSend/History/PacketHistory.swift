public import RillCore
import RillRTP

/// The most recent packets of a stream, as they were sent, for those who miss some: as many as its capacity, of those
/// the ones of the last two seconds, and in any case the newest 32.
///
/// A packet is written directly into its place and sent from there. Packets lie one behind the other in blocks. A block
/// whose packets are all too old is used again, so that a steady stream allocates nothing, and a stream of few packets
/// has few blocks.
struct PacketHistory: ~Copyable {
    /// The maximum number of past packets that a 16-bit sequence number distinguishes.
    static let maximumCapacity = 32767
    /// How long packets are kept while others follow. Receivers wait for retransmissions for about a second, and it
    /// takes a round trip to miss a packet: an older one comes too late.
    static let duration = MediaDuration.seconds(2)

    /// The packets that are kept however old they are, which may fill a probe of the path.
    private static let leastCount = 32

    /// The maximum number of packets kept.
    let capacity: Int
    /// The number of packets ever written.
    private(set) var count = 0
    /// The sequence number that the next packet must have.
    private(set) var nextSequenceNumber: SequenceNumber
    /// The maximum size of a packet.
    private let slotByteCount: Int
    /// The number of the oldest packet that is kept.
    private var first = 0
    /// The packets, by their number modulo the size, a power of two.
    private var slots: [Slot]
    /// Blocks of equal size: those in use, in the order of their packets, are `firstBlock..<nextBlock`, modulo their
    /// number.
    private var bytes: [UInt8] = []
    private(set) var blockCount = 0
    private var firstBlock = 0
    private var nextBlock = 0
    /// The bytes in use of the newest block.
    private var end = 0

    private struct Slot: BitwiseCopyable {
        var sentAt = MediaTime.zero
        /// In the distant past for never.
        var retransmittedAt = MediaTime(nanoseconds: .min)
        /// The number of its block, from 1.
        var block = 0
        var start: Int32 = 0
        var byteCount: Int32 = 0
        var isFEC = false
    }

    /// The packets that a block holds at least.
    private static let packetsPerBlock = 4

    /// A history of up to `capacity` packets of up to `slotByteCount` bytes.
    init(capacity: Int, slotByteCount: Int, firstSequenceNumber: SequenceNumber) {
        precondition((1...PacketHistory.maximumCapacity).contains(capacity), "a history of \(capacity) packets")
        self.capacity = capacity
        self.slotByteCount = slotByteCount
        nextSequenceNumber = firstSequenceNumber
        slots = [Slot](repeating: Slot(), count: 16)
    }

    /// Writes the next packet, after which those are forgotten that are too old. Traps if `write` appends more than the
    /// maximum size.
    mutating func append(at now: MediaTime, isFEC: Bool = false, _ write: (inout OutputSpan<UInt8>) -> Void) {
        forget(at: now)
        if count - first == slots.count { growSlots() }
        if nextBlock == firstBlock || blockByteCount - end < slotByteCount { beginBlock() }
        let start = self.start(of: nextBlock - 1) + end
        let range = start..<start + slotByteCount
        let byteCount = unsafe bytes.withUnsafeMutableBufferPointer { block in
            // The array belongs to this value and contains the range; the span does not leave this closure.
            let memory = block.extracting(range)
            var output = unsafe OutputSpan(buffer: memory, initializedCount: 0)
            write(&output)
            return unsafe output.finalize(for: memory)
        }
        slots[count & (slots.count - 1)] = Slot(
            sentAt: now, block: nextBlock, start: Int32(truncatingIfNeeded: end),
            byteCount: Int32(truncatingIfNeeded: byteCount), isFEC: isFEC)
        end += byteCount
        count += 1
        nextSequenceNumber = nextSequenceNumber.next
    }

    /// The number of packets that are kept.
    var keptCount: Int { count - first }

    private var blockByteCount: Int { PacketHistory.packetsPerBlock * slotByteCount }

    /// Where a block begins in the array.
    private func start(of block: Int) -> Int { block % blockCount * blockByteCount }

    /// Forgets the packets that are too old, or more than the capacity, and the blocks that only they were in.
    private mutating func forget(at now: MediaTime) {
        let limit = count - capacity
        while first < count {
            let slot = slots[first & (slots.count - 1)]
            let isOld = keptCount >= PacketHistory.leastCount && now - slot.sentAt > PacketHistory.duration
            guard first <= limit || isOld else { break }
            first += 1
        }
        // The block of the oldest packet is the first one; without a packet, none is in use.
        guard first < count else {
            firstBlock = nextBlock
            return
        }
        firstBlock = slots[first & (slots.count - 1)].block - 1
    }

    /// Takes a free block for the next packets.
    private mutating func beginBlock() {
        if nextBlock - firstBlock == blockCount { addBlocks() }
        nextBlock += 1
        end = 0
    }

    /// Adds a quarter. The blocks in use keep their numbers, and get other places.
    private mutating func addBlocks() {
        let size = blockCount + 1 + blockCount / 4
        var larger = [UInt8](repeating: 0, count: size * blockByteCount)
        var span = larger.mutableSpan
        for number in firstBlock..<nextBlock {
            let start = start(of: number)
            span.copy(from: bytes.span.extracting(start..<start + blockByteCount), at: number % size * blockByteCount)
        }
        (bytes, blockCount) = (larger, size)
    }

    private mutating func growSlots() {
        var larger = [Slot](repeating: Slot(), count: 2 * slots.count)
        for number in first..<count { larger[number & (larger.count - 1)] = slots[number & (slots.count - 1)] }
        slots = larger
    }

    /// The packet that was written last.
    var newest: SentPacket? {
        @_lifetime(borrow self)
        get { packet(nextSequenceNumber.advanced(by: -1)) }
    }

    /// Returns the packet with that sequence number; `nil` if it is not kept any more, or was never sent.
    @_lifetime(borrow self)
    func packet(_ number: SequenceNumber) -> SentPacket? {
        guard let place = slot(of: number) else { return nil }
        let slot = slots[place]
        let start = start(of: slot.block - 1) + Int(slot.start)
        return SentPacket(
            bytes: bytes.span.extracting(start..<start + Int(slot.byteCount)),
            sentAt: slot.sentAt,
            retransmittedAt: slot.retransmittedAt.nanoseconds == .min ? nil : slot.retransmittedAt,
            isFEC: slot.isFEC)
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
        guard packetsAgo >= 1, packetsAgo <= count - first else { return nil }
        return (count - packetsAgo) & (slots.count - 1)
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
