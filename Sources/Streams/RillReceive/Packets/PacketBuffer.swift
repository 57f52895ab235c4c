import RillCore

/// The packets that wait for their frame, in a ring of slots indexed by extended sequence number.
///
/// The window starts at `floor`, the first sequence number that is still of use, and spans `capacity` numbers. A slot
/// is in use exactly if the number in it is in the window, so nothing has to be cleared as the window moves.
///
/// It starts small and doubles as needed, up to a limit; packets beyond that are `ahead`.
struct PacketBuffer: ~Copyable, Sendable {
    /// The most sequence numbers that the window may span; a power of two.
    let limit: Int
    /// The sequence numbers that it spans now; a power of two.
    private(set) var capacity: Int
    /// The first sequence number of the window. Everything before it was played out, dropped or never awaited.
    private(set) var floor: Int64 = 0

    private var slots: FixedStorage<Slot>
    /// The packets that arrived out of order; the others are with their frames.
    private var memory: PacketMemory
    private var frames = FrameMemory()
    /// Packets whose bytes are held.
    private(set) var heldCount = 0

    /// The initial span of the window.
    static let initialCapacity = 256

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Slot: BitwiseCopyable {
        var sequence: Int64 = .min
        /// The block with its bytes, or one of the two values below.
        var block = Slot.none
        var byteCount: Int32 = 0
        var isPadding = false

        /// For padding, and for a packet that is gone.
        static var none: Int32 { -1 }
        /// Its bytes are with those of its frame.
        static var withFrame: Int32 { -2 }
    }

    /// Where a sequence number is.
    enum Place: Equatable {
        /// In the window, and not received yet.
        case free
        /// Already received, or just gone.
        case duplicate
        /// Before the window.
        case late
        /// After the window, which would have to start at `floor` to hold it.
        case ahead(floor: Int64)
    }

    /// Creates a ring for up to `limit` packets, rounded up to a power of two, of at most `maximumByteCount` bytes
    /// each.
    init(limit: Int, maximumByteCount: Int) {
        var rounded = 1
        while rounded < limit { rounded *= 2 }
        self.limit = rounded
        self.capacity = min(rounded, PacketBuffer.initialCapacity)
        self.slots = FixedStorage(repeating: Slot(), count: capacity)
        self.memory = PacketMemory(blockCount: capacity, blockByteCount: maximumByteCount)
    }

    /// Returns where packet `sequence` belongs; the window grows for it if allowed.
    @inline(__always)
    mutating func place(of sequence: Int64) -> Place {
        if slots[ring: index(sequence)].sequence == sequence { return .duplicate }
        if sequence < floor { return .late }
        return sequence - floor < Int64(capacity) ? .free : placeBehindWindow(sequence)
    }

    /// Whether packet `sequence` has a free slot without growing the window.
    @inline(__always)
    mutating func hasRoom(for sequence: Int64) -> Bool {
        sequence >= floor && sequence &- floor < Int64(capacity) && slots[ring: index(sequence)].sequence != sequence
    }

    private mutating func placeBehindWindow(_ sequence: Int64) -> Place {
        let first = sequence - Int64(limit) + 1
        guard first <= floor else { return .ahead(floor: first) }
        while sequence - floor >= Int64(capacity) { grow() }
        return .free
    }

    /// Doubles the window; its content moves to the new slots.
    private mutating func grow() {
        var larger = FixedStorage(repeating: Slot(), count: capacity * 2)
        for index in 0..<capacity where slots[index].sequence != .min {
            larger[Int(truncatingIfNeeded: slots[index].sequence) & (capacity * 2 - 1)] = slots[index]
        }
        slots = larger
        capacity *= 2
        memory.grow()
    }

    /// Stores a copy of `bytes`, the frame's part of packet `sequence`, whose slot is free.
    mutating func store(_ bytes: Span<UInt8>, as sequence: Int64) {
        let block = memory.store(bytes)
        slots[ring: index(sequence)] = Slot(sequence: sequence, block: block, byteCount: Int32(bytes.count))
        heldCount += 1
    }

    /// Stores a copy of `bytes`, the first of a frame, where those of the following packets can be appended.
    ///
    /// - Returns: the frame's array; `nil` if none was free.
    mutating func storeFirst(_ bytes: Span<UInt8>, as sequence: Int64) -> FrameMemory.Place? {
        guard let array = frames.begin(bytes) else {
            store(bytes, as: sequence)
            return nil
        }
        noteWithFrame(sequence)
        return array
    }

    /// Stores a copy of `bytes`, from the packet directly after the last one of `frame`: in the frame's array if all
    /// the others are there.
    @inline(__always)
    mutating func store(_ bytes: Span<UInt8>, as sequence: Int64, behind frame: FrameExtent) {
        guard let array = frame.array, frames.byteCount(at: array) == frame.byteCount else {
            store(bytes, as: sequence)
            return
        }
        frames.append(bytes, at: array)
        noteWithFrame(sequence)
    }

    @inline(__always)
    private mutating func noteWithFrame(_ sequence: Int64) {
        slots[ring: index(sequence)] = Slot(sequence: sequence, block: Slot.withFrame)
        heldCount += 1
    }

    /// Notes that packet `sequence`, whose slot is free, only carries padding.
    mutating func storePadding(as sequence: Int64) {
        slots[ring: index(sequence)] = Slot(sequence: sequence, isPadding: true)
    }

    /// How many of the packets from `start` up to but not including `end` are present and only carry padding.
    mutating func paddingCount(from start: Int64, to end: Int64) -> Int {
        var count = 0
        var sequence = start
        while sequence < end {
            let slot = slots[ring: index(sequence)]
            if slot.sequence == sequence, slot.isPadding { count += 1 }
            sequence += 1
        }
        return count
    }

    /// Whether all packets from `start` up to but not including `end` are present and only carry padding.
    mutating func isPadding(from start: Int64, to end: Int64) -> Bool {
        var sequence = start
        while sequence < end {
            let slot = slots[ring: index(sequence)]
            guard slot.sequence == sequence, slot.isPadding else { return false }
            sequence += 1
        }
        return true
    }

    /// Removes the packets of `frame`, which must all be present, and everything before them. Replaces the content of
    /// `payload` by the frame's bytes.
    @inline(__always)
    mutating func takeOut(_ frame: FrameExtent, into payload: inout [UInt8]) {
        advance(to: frame.first)
        if let array = frame.array {
            frames.exchange(array, for: &payload)
        } else {
            payload.removeAll(keepingCapacity: true)
        }
        if payload.count == frame.byteCount {
            // All of them were there, so there is nothing between them.
            heldCount -= Int(frame.last - frame.first) + 1
            floor = frame.last + 1
        } else {
            payload.append(addingCapacity: frame.byteCount - payload.count) {
                takeOut(frame.first, through: frame.last, to: &$0)
            }
        }
    }

    /// Removes the packets `first` to `last`, which must all be present, and everything before them. Appends, in
    /// order, the bytes of those that are not with their frame's. `output` must have room.
    @_lifetime(output: copy output)
    mutating func takeOut(_ first: Int64, through last: Int64, to output: inout OutputSpan<UInt8>) {
        advance(to: first)
        precondition(first <= last && last - first < Int64(capacity), "packets \(first) to \(last)")
        for sequence in first...last {
            let slot = slots[ring: index(sequence)]
            precondition(
                slot.sequence == sequence && (slot.block != Slot.none || slot.isPadding), "packet \(sequence) is gone")
            guard !slot.isPadding else { continue }
            heldCount -= 1
            slots[ring: index(sequence)].block = Slot.none
            if slot.block >= 0 { memory.takeOut(slot.block, count: Int(slot.byteCount), to: &output) }
        }
        floor = max(floor, last + 1)
    }

    /// Releases the array of a dropped frame; its packets are given up as the window moves.
    mutating func drop(_ frame: FrameExtent) {
        if let array = frame.array { frames.release(array) }
    }

    /// Moves the window: everything before `newFloor` is given up.
    mutating func advance(to newFloor: Int64) {
        guard newFloor > floor else { return }
        for sequence in floor..<min(newFloor, floor + Int64(capacity)) { giveUp(sequence) }
        floor = newFloor
    }

    /// Gives up everything and opens the window around `sequence`, so that packets overtaken by it may still arrive.
    mutating func restart(around sequence: Int64) {
        advance(to: floor + Int64(capacity))
        for index in 0..<capacity { slots[index].sequence = .min }
        floor = sequence - Int64(min(capacity, limit) / 2)
    }

    private mutating func giveUp(_ sequence: Int64) {
        let index = index(sequence)
        // The number stays, to distinguish a duplicate from a late packet.
        guard slots[ring: index].sequence == sequence, slots[ring: index].block != Slot.none else { return }
        if slots[ring: index].block >= 0 { memory.release(slots[ring: index].block) }
        slots[ring: index].block = Slot.none
        heldCount -= 1
    }

    @inline(__always)
    private func index(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) }
}

/// The typical number of packets per frame, not counting key frames.
struct FrameLength: Sendable {
    /// The mean, in sixteenths of a packet; each frame moves it by an eighth of the difference.
    private var mean = 0

    /// The upper bound: more are rarely lost at once, and most frames have fewer.
    static let maximum = 8

    /// Notes a delta frame.
    mutating func note(packetCount: Int) {
        let count = 16 * min(packetCount, FrameLength.maximum)
        mean = mean == 0 ? count : mean + (count - mean) / 8
    }

    /// The likely number of packets in the next frame; at least one.
    var packetCount: Int { max(1, (mean + 8) / 16) }
}

/// The range of a frame's packets in the packet buffer, as far as they have arrived.
struct FrameExtent {
    /// The lowest and the highest sequence number.
    var first: Int64
    var last: Int64
    /// Bytes of the frame in them.
    var byteCount: Int
    /// The array that the frame's bytes start in, as far as its packets arrived in order.
    var array: FrameMemory.Place?
}
