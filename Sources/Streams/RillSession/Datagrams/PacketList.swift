/// Packets that wait, each with plain values about it and a block of memory of its own, with room after the packet.
///
/// A packet moves from one list to another by its block: no byte is copied, and an unused block of the other list comes
/// back for it. Blocks are reused. Together they have at most ``limit`` bytes.
@safe
struct PacketList<Entry: BitwiseCopyable>: ~Copyable {
    @safe
    private struct Slot: BitwiseCopyable {
        var entry: Entry
        var byteCount = 0
        /// The bytes of the block; none if this is zero, and then there is no address either.
        var capacity = 0
        var block: UnsafeMutablePointer<UInt8>?
    }

    // This value is the only owner of the slots and of their blocks, and it cannot be copied.
    private var slots: UnsafeMutablePointer<Slot>
    private var slotCount = 16
    private let unused: Entry
    /// The number of packets, which are in the first slots. The others keep their blocks for packets to come.
    private(set) var count = 0
    /// The bytes of all blocks.
    private var byteCount = 0

    /// The most bytes of all blocks: those of four seconds at 4 Mbit/s, in packets of 1200 bytes.
    static var limit: Int { 2 << 20 }
    /// Bytes after each packet that whoever sends it may fill.
    static var room: Int { 32 }

    /// - Parameter unused: the entry of a slot without a packet.
    init(unused: Entry) {
        self.unused = unused
        unsafe slots = .allocate(capacity: slotCount)
        unsafe slots.initialize(repeating: Slot(entry: unused), count: slotCount)
    }

    /// Frees all memory; the list is not used any more. Its owner calls this: Swift 6.3 does not call the `deinit` of
    /// such a value where it is a part of another one.
    mutating func deallocate() {
        for index in 0..<slotCount { unsafe slots[index].block?.deallocate() }
        unsafe slots.deallocate()
        (slotCount, count) = (0, 0)
    }

    /// Appends a packet; `false` if there is no memory for it.
    @inline(__always)
    mutating func append(_ packet: Span<UInt8>, _ entry: Entry) -> Bool {
        if count == slotCount { grow() }
        guard write(packet, entry, at: count) else { return false }
        count += 1
        return true
    }

    /// Replaces the packet of a slot that was appended before; `false` if there is no memory for it.
    @inline(__always)
    mutating func replace(_ index: Int, with packet: Span<UInt8>, _ entry: Entry) -> Bool {
        check(index)
        return write(packet, entry, at: index)
    }

    /// Appends a packet of another list, whose slot gets an unused block, or none, for its own; `false` if there is no
    /// memory for it.
    mutating func append<Other>(moving index: Int, of other: inout PacketList<Other>, _ entry: Entry) -> Bool {
        other.check(index)
        if count == slotCount { grow() }
        let growth = unsafe other.slots[index].capacity - slots[count].capacity
        guard byteCount + growth <= PacketList.limit else { return false }
        unsafe swap(&slots[count].block, &other.slots[index].block)
        unsafe swap(&slots[count].capacity, &other.slots[index].capacity)
        unsafe swap(&slots[count].byteCount, &other.slots[index].byteCount)
        byteCount += growth
        other.byteCount -= growth
        unsafe slots[count].entry = entry
        unsafe other.slots[index].byteCount = 0
        count += 1
        return true
    }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    private func check(_ index: Int) {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "packet \(index) of \(count)")
    }

    /// The values about a packet.
    @inline(__always)
    func entry(_ index: Int) -> Entry {
        check(index)
        return unsafe slots[index].entry
    }

    /// The size of a packet in bytes.
    @inline(__always)
    func byteCount(of index: Int) -> Int {
        check(index)
        return unsafe slots[index].byteCount
    }

    /// The bytes of a packet; valid until something is appended or moved.
    @inline(__always)
    @_lifetime(borrow self)
    func packet(_ index: Int) -> Span<UInt8> {
        check(index)
        let bytes = unsafe UnsafeBufferPointer(start: slots[index].block, count: slots[index].byteCount)
        // The block belongs to this value, which the span borrows.
        return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
    }

    /// Calls `body` with the bytes of a packet.
    @inline(__always)
    func withPacket<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) -> Result { body(packet(index)) }

    /// Writes a number into a packet, most significant byte first.
    @inline(__always)
    mutating func write(_ number: UInt16, to index: Int, at offset: Int) {
        check(index)
        let end = unsafe slots[index].byteCount
        precondition(offset >= 0 && offset + 2 <= end, "a number at \(offset) of \(end) bytes")
        // The offset is within the packet, so there is a block.
        unsafe slots[index].block?[offset] = UInt8(truncatingIfNeeded: number >> 8)
        unsafe slots[index].block?[offset + 1] = UInt8(truncatingIfNeeded: number)
    }

    /// Calls `body` with a packet and the room after it.
    @inline(__always)
    mutating func withOutput(of index: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        check(index)
        let slot = unsafe slots[index]
        let memory = unsafe UnsafeMutableBufferPointer(start: slot.block, count: slot.byteCount + PacketList.room)
        // The block is exclusive to this call, and as long as the packet and its room.
        var output = unsafe OutputSpan(buffer: memory, initializedCount: slot.byteCount)
        body(&output)
        _ = unsafe output.finalize(for: memory)
    }

    @inline(__always)
    private mutating func write(_ packet: Span<UInt8>, _ entry: Entry, at index: Int) -> Bool {
        if unsafe packet.count + PacketList.room > slots[index].capacity {
            guard enlarge(index, to: packet.count + PacketList.room) else { return false }
        }
        unsafe packet.withUnsafeBufferPointer { packet in
            guard let start = packet.baseAddress else { return }
            // There is room, and a span cannot be in memory that is being changed.
            unsafe slots[index].block?.update(from: start, count: packet.count)
        }
        unsafe slots[index].entry = entry
        unsafe slots[index].byteCount = packet.count
        return true
    }

    /// Gives a slot a larger block, of what most packets need at least. What it held is lost.
    @inline(never)
    private mutating func enlarge(_ index: Int, to capacity: Int) -> Bool {
        let capacity = max(capacity, 1280 + PacketList.room)
        let total = unsafe byteCount - slots[index].capacity + capacity
        guard total <= PacketList.limit else { return false }
        unsafe slots[index].block?.deallocate()
        unsafe slots[index].block = .allocate(capacity: capacity)
        unsafe slots[index].capacity = capacity
        byteCount = total
        return true
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Slot>.allocate(capacity: 2 * slotCount)
        unsafe larger.update(from: slots, count: slotCount)
        unsafe (larger + slotCount).initialize(repeating: Slot(entry: unused), count: slotCount)
        unsafe slots.deallocate()
        unsafe slots = larger
        slotCount *= 2
    }
}
