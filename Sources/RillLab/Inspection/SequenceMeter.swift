import RillRTP

/// Tells of each packet of a source whether its number is new, late or a repetition, and counts those that are missing.
///
/// Remembers the newest 65536 numbers, which is as far as 16 bits can tell them apart: 8 KiB a source, however long it
/// lasts.
struct SequenceMeter {
    private var extender = CounterExtender(bitWidth: 16)
    private var first: Int64?
    /// A bit for each number of the window, by its lower 16 bits.
    private var seen: [UInt64] = []
    private var distinctCount = 0
    /// Whether a packet followed the newest one directly: chance alone does not bring that about.
    private(set) var hasSequence = false

    /// What a number says.
    enum Arrival: Equatable {
        /// The newest so far, or later than a newer one; with the number in 64 bits.
        case new(Int64), reordered(Int64)
        /// There was one of that number.
        case duplicate
    }

    /// Takes the next packet's number.
    mutating func add(_ wire: SequenceNumber) -> Arrival {
        if seen.isEmpty { seen = [UInt64](repeating: 0, count: 1024) }
        let newest = extender.newest
        let number = extender.extend(UInt32(wire.rawValue))
        if let newest, number > newest {
            hasSequence = hasSequence || number == newest + 1
            // What the window moves over belongs to numbers that are yet to come.
            for passed in newest + 1...number { seen[word(passed)] &= ~bit(passed) }
        }
        guard seen[word(number)] & bit(number) == 0 else { return .duplicate }
        seen[word(number)] |= bit(number)
        distinctCount += 1
        first = min(first ?? number, number)
        return number < newest ?? .min ? .reordered(number) : .new(number)
    }

    /// Numbers between the first and the newest that did not come.
    var missing: Int {
        guard let first, let newest = extender.newest else { return 0 }
        return Int(newest - first) + 1 - distinctCount
    }

    private func word(_ number: Int64) -> Int { Int(number & 0xFFFF) / 64 }
    private func bit(_ number: Int64) -> UInt64 { 1 << UInt64(number & 63) }
}
