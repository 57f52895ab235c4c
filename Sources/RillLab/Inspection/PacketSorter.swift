import RillCore

/// Puts packets that overtook each other back into the order of their numbers.
///
/// A packet that is next in line goes through at once; behind a gap packets wait until it is filled, or until more wait
/// than a network plausibly brings out of order, which gives the gap up.
struct PacketSorter {
    private var expected: Int64?
    private var waiting: [Int64: Held] = [:]

    private struct Held {
        var bytes: [UInt8]
        var time: MediaTime
    }

    /// Packets that wait behind a gap at the most.
    static let capacity = 128

    /// Takes a packet, whose number has not come before, and gives `body` those that it makes next in line.
    mutating func insert(
        _ packet: Span<UInt8>, number: Int64, at time: MediaTime, _ body: (Span<UInt8>, MediaTime) -> Void
    ) {
        // One that comes after its place was given up is of no use any more.
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

    /// Gives `body` all that still waits.
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
