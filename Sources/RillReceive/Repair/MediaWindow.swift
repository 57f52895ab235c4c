import RillCore
import RillRTP

/// The newest packets of a stream, whole, by their numbers: what a lost one is computed from.
struct MediaWindow: ~Copyable, Sendable {
    /// Numbers that the window spans; a power of two.
    let capacity: Int
    private let slotByteCount: Int
    private var bytes: [UInt8]
    private var slots: FixedStorage<Slot>
    /// The newest number, counted on over its wraparounds; `nil` before the first packet.
    private var newest: Int64?
    /// Packets in a row that lay behind the window.
    private var strayCount = 0

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Slot: BitwiseCopyable {
        var sequence: Int64 = .min
        var byteCount: Int32 = 0
    }

    /// So many packets in a row from behind the window are no late ones: the numbers have jumped.
    static let maximumStrayCount = 8

    /// Room for `capacity` packets of up to `slotByteCount` bytes.
    init(capacity: Int, slotByteCount: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a window of \(capacity) packets")
        self.capacity = capacity
        self.slotByteCount = slotByteCount
        bytes = [UInt8](repeating: 0, count: capacity * slotByteCount)
        slots = FixedStorage(repeating: Slot(), count: capacity)
    }

    /// The first number of the window.
    var floor: Int64 { (newest ?? 0) - Int64(capacity) + 1 }

    /// `number` the short way round from the newest one.
    func extended(_ number: SequenceNumber) -> Int64 {
        guard let newest else { return Int64(number.rawValue) }
        return newest &+ Int64(number.distance(since: SequenceNumber(UInt16(truncatingIfNeeded: newest))))
    }

    /// What it took to have a number in the window.
    enum Reach {
        /// Nothing, or that the window moved on.
        case within
        /// It lies behind.
        case behind
        /// It lay behind, as others before it, so that the window has begun anew there, empty.
        case restarted
    }

    /// Moves the window so far on that it reaches `sequence`; if that lies behind it time and again, begins anew there.
    mutating func reach(_ sequence: Int64) -> Reach {
        guard let newest, sequence <= newest else {
            newest = sequence
            strayCount = 0
            return .within
        }
        guard sequence < floor else {
            strayCount = 0
            return .within
        }
        strayCount += 1
        guard strayCount >= MediaWindow.maximumStrayCount else { return .behind }
        strayCount = 0
        self.newest = sequence
        // What is numbered ahead of the new beginning is of the old stretch.
        for index in 0..<capacity { slots[index].sequence = .min }
        return .restarted
    }

    /// Whether the packet is there.
    func holds(_ sequence: Int64) -> Bool {
        sequence >= floor && slots[index(sequence)].sequence == sequence
    }

    /// Keeps a copy of a packet whose number lies in the window.
    mutating func keep(_ packet: Span<UInt8>, as sequence: Int64) {
        precondition(packet.count <= slotByteCount, "\(packet.count) bytes in a slot of \(slotByteCount)")
        let index = index(sequence)
        let start = index * slotByteCount
        var memory = bytes.mutableSpan
        memory.copy(from: packet, at: start)
        slots[index] = Slot(sequence: sequence, byteCount: Int32(packet.count))
    }

    /// A packet that is there.
    @_lifetime(borrow self)
    func packet(_ sequence: Int64) -> Span<UInt8> {
        precondition(holds(sequence), "packet \(sequence) is not there")
        let index = index(sequence)
        let start = index * slotByteCount
        return bytes.span.extracting(start..<start + Int(slots[index].byteCount))
    }

    private func index(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (capacity - 1) }
}
