import RillCore
import RillRTP

/// Classifies the sequence number of each packet of an SSRC as new, late or duplicate, and counts the missing ones.
///
/// It remembers the newest 65536 numbers, as far as 16 bits can distinguish: 8 KiB per SSRC, however long it lasts.
struct SequenceMeter {
    private var extender = CounterExtender(bitWidth: 16)
    private var first: Int64?
    /// One bit for each number of the window, by its lower 16 bits.
    private var seen: [UInt64] = []
    private var distinctCount = 0
    /// Whether a packet directly followed the newest one: random data does not.
    private(set) var hasSequence = false

    /// The class of a number.
    enum Arrival: Equatable {
        /// The newest so far, or one that arrived after a newer one; with the extended number.
        case new(Int64), reordered(Int64)
        /// The number had already arrived.
        case duplicate
    }

    /// Adds the next packet's sequence number.
    mutating func add(_ wire: SequenceNumber) -> Arrival {
        if seen.isEmpty { seen = [UInt64](repeating: 0, count: 1024) }
        let newest = extender.newest
        let number = extender.extend(UInt32(wire.rawValue))
        if let newest, number > newest {
            hasSequence = hasSequence || number == newest + 1
            // The window's new part belongs to numbers that have not arrived.
            for passed in newest + 1...number { seen[word(passed)] &= ~bit(passed) }
        }
        guard seen[word(number)] & bit(number) == 0 else { return .duplicate }
        seen[word(number)] |= bit(number)
        distinctCount += 1
        first = min(first ?? number, number)
        return number < newest ?? .min ? .reordered(number) : .new(number)
    }

    /// Numbers between the first and the newest that did not arrive.
    var missing: Int {
        guard let first, let newest = extender.newest else { return 0 }
        return Int(newest - first) + 1 - distinctCount
    }

    private func word(_ number: Int64) -> Int { Int(number & 0xFFFF) / 64 }
    private func bit(_ number: Int64) -> UInt64 { 1 << UInt64(number & 63) }
}

/// Restores the order of packets by sequence number.
///
/// The next packet in sequence passes at once. Packets after a gap wait until it is filled, or until more wait than a
/// network plausibly reorders, which gives the gap up.
struct PacketSorter {
    private var expected: Int64?
    private var waiting: [Int64: Held] = [:]

    private struct Held {
        var bytes: [UInt8]
        var time: MediaTime
    }

    /// The most packets that wait after a gap.
    static let capacity = 128

    /// Inserts a packet, whose number must be new, and passes it and those that it unblocks to `body`.
    mutating func insert(
        _ packet: Span<UInt8>, number: Int64, at time: MediaTime, _ body: (Span<UInt8>, MediaTime) -> Void
    ) {
        // A packet that arrives after its place was given up is useless.
        guard number >= expected ?? number else { return }
        guard number == expected ?? number else {
            waiting[number] = Held(bytes: packet.array, time: time)
            if waiting.count > PacketSorter.capacity { skipGap(body) }
            return
        }
        body(packet, time)
        expected = number + 1
        release(body)
    }

    /// Passes all waiting packets to `body`.
    mutating func drain(_ body: (Span<UInt8>, MediaTime) -> Void) {
        while !waiting.isEmpty { skipGap(body) }
    }

    private mutating func skipGap(_ body: (Span<UInt8>, MediaTime) -> Void) {
        expected = waiting.keys.min()
        release(body)
    }

    private mutating func release(_ body: (Span<UInt8>, MediaTime) -> Void) {
        while let number = expected, let held = waiting.removeValue(forKey: number) {
            let bytes = held.bytes
            body(bytes.span, held.time)
            expected = number + 1
        }
    }
}
