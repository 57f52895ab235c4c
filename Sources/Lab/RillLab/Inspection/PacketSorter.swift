import RillCore

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
