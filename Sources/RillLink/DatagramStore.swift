import RillCore

/// The memory of the datagrams that are on their way.
///
/// Slots are made when they are first needed and used again from then on, so that in the steady state nothing is
/// allocated. Bounds: as many datagrams and bytes as stand below, whatever is sent.
struct DatagramStore {
    /// The most datagrams on their way at once.
    static let capacity = 65_536
    /// The most bytes on their way at once.
    static let byteCapacity = 64 << 20
    /// The memory of a slot. One that held more gives its memory back, lest each in the end holds the largest datagram.
    private static let slotByteCount = 2048

    private struct Slot {
        var bytes: [UInt8] = []
        var delivery: Delivery
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private(set) var byteCount = 0

    /// Datagrams in the store.
    var count: Int { slots.count - freeSlots.count }

    /// Whether `copies` datagrams of that size fit.
    func hasRoom(for copies: Int, byteCount: Int) -> Bool {
        count + copies <= DatagramStore.capacity
            && self.byteCount + copies * byteCount <= DatagramStore.byteCapacity
    }

    /// Keeps a datagram and says in which slot. The caller has made sure that there is room.
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

    /// Flips bits of the datagram in `index`.
    mutating func damage(_ index: Int, _ corruption: Corruption) {
        var corruption = corruption
        corruption.damage(&slots[index].bytes)
    }

    /// Copies the datagram in `index` into `datagram`, in place of what was there, and frees the slot.
    mutating func remove(_ index: Int, into datagram: inout [UInt8]) -> Delivery {
        datagram.removeAll(keepingCapacity: true)
        datagram.append(contentsOf: slots[index].bytes)
        byteCount -= datagram.count
        slots[index].bytes.removeAll(keepingCapacity: datagram.count <= DatagramStore.slotByteCount)
        freeSlots.append(index)
        return slots[index].delivery
    }
}
