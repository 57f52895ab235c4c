import RillCore

/// The memory of the datagrams in flight.
///
/// Slots are created when they are first needed and then reused, so that nothing is allocated in the steady state.
/// The number of datagrams and bytes is limited by the constants below.
struct DatagramStore {
    /// The most datagrams in flight at once.
    static let capacity = 65_536
    /// The most bytes in flight at once.
    static let byteCapacity = 64 << 20
    /// The memory of a slot. A slot that held more releases its memory, so that not every slot grows to the largest
    /// datagram.
    private static let slotByteCount = 2048

    private struct Slot {
        var bytes: [UInt8] = []
        var delivery: Delivery
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private(set) var byteCount = 0

    /// The number of datagrams in the store.
    var count: Int { slots.count - freeSlots.count }

    /// Whether `copies` datagrams of that size fit.
    func hasRoom(for copies: Int, byteCount: Int) -> Bool {
        count + copies <= DatagramStore.capacity
            && self.byteCount + copies * byteCount <= DatagramStore.byteCapacity
    }

    /// Stores a datagram and returns its slot. The caller has checked that there is room.
    mutating func insert(_ datagram: Span<UInt8>, _ delivery: Delivery) -> Int {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
            slots[index].delivery = delivery
        } else {
            index = slots.count
            slots.append(Slot(delivery: delivery))
        }
        slots[index].bytes.reserveCapacity(DatagramStore.slotByteCount)
        slots[index].bytes.append(copying: datagram)
        byteCount += datagram.count
        return index
    }

    /// Flips bits of the datagram in slot `index`.
    mutating func damage(_ index: Int, _ corruption: Corruption) {
        var corruption = corruption
        corruption.damage(&slots[index].bytes)
    }

    /// Replaces the content of `datagram` by the datagram in slot `index`, and frees the slot.
    mutating func remove(_ index: Int, into datagram: inout [UInt8]) -> Delivery {
        datagram.removeAll(keepingCapacity: true)
        datagram.append(contentsOf: slots[index].bytes)
        byteCount -= datagram.count
        slots[index].bytes.removeAll(keepingCapacity: datagram.count <= DatagramStore.slotByteCount)
        freeSlots.append(index)
        return slots[index].delivery
    }
}
