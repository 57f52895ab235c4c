import RillCore
import RillRTP

/// The newest packets of a stream, whole, by sequence number: FEC computes a lost packet from them.
struct MediaWindow: ~Copyable, Sendable {
    /// The sequence numbers that the window spans; a power of two.
    let capacity: Int
    private let slotByteCount: Int
    private var bytes: [UInt8]
    private var slots: FixedStorage<Slot>
    /// The newest extended sequence number; `nil` before the first packet.
    private var newest: Int64?
    /// Consecutive packets before the window.
    private var strayCount = 0

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Slot: BitwiseCopyable {
        var sequence: Int64 = .min
        var byteCount: Int32 = 0
    }

    /// This many consecutive packets before the window are not late: the sequence numbers have jumped.
    static let maximumStrayCount = 8

    /// Creates room for `capacity` packets of up to `slotByteCount` bytes.
    init(capacity: Int, slotByteCount: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a window of \(capacity) packets")
        self.capacity = capacity
        self.slotByteCount = slotByteCount
        bytes = [UInt8](repeating: 0, count: capacity * slotByteCount)
        slots = FixedStorage(repeating: Slot(), count: capacity)
    }

    /// The first sequence number of the window.
    var floor: Int64 { (newest ?? 0) - Int64(capacity) + 1 }

    /// Extends `number` to the nearest value to the newest one.
    func extended(_ number: SequenceNumber) -> Int64 {
        guard let newest else { return Int64(number.rawValue) }
        return newest &+ Int64(number.distance(since: SequenceNumber(UInt16(truncatingIfNeeded: newest))))
    }

    /// The result of moving the window to a sequence number.
    enum Reach {
        /// The number is in the window, which may have moved.
        case within
        /// The number is before the window.
        case behind
        /// The number was before the window, like others before it, so the window restarted there, empty.
        case restarted
    }

    /// Moves the window so that it contains `sequence`; restarts it there if numbers are repeatedly before it.
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
        // Numbers after the new start belong to the old part of the stream.
        for index in 0..<capacity { slots[index].sequence = .min }
        return .restarted
    }

    /// Whether the packet is present.
    func holds(_ sequence: Int64) -> Bool {
        sequence >= floor && slots[index(sequence)].sequence == sequence
    }

    /// Stores a copy of a packet whose sequence number is in the window.
    mutating func keep(_ packet: Span<UInt8>, as sequence: Int64) {
        precondition(packet.count <= slotByteCount, "\(packet.count) bytes in a slot of \(slotByteCount)")
        let index = index(sequence)
        let start = index * slotByteCount
        var memory = bytes.mutableSpan
        memory.copy(from: packet, at: start)
        slots[index] = Slot(sequence: sequence, byteCount: Int32(packet.count))
    }

    /// Returns a packet, which must be present.
    @_lifetime(borrow self)
    func packet(_ sequence: Int64) -> Span<UInt8> {
        precondition(holds(sequence), "packet \(sequence) is not there")
        let index = index(sequence)
        let start = index * slotByteCount
        return bytes.span.extracting(start..<start + Int(slots[index].byteCount))
    }

    private func index(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (capacity - 1) }
}
