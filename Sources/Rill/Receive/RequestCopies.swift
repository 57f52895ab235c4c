import RillCore

/// Sends requests for packets again a little later, because one that is lost costs a round trip of waiting.
///
/// The copies of a datagram follow it 10 ms apart: what takes one datagram on a wireless link is often over by then. Where
/// the round trip is short they follow faster, within less than half of it: a sender answers a number once in that time, so
/// copies bring no packet twice.
struct RequestCopies {
    private var slots: [Slot]
    private let copyCount: Int

    private struct Slot {
        var datagram: [UInt8] = []
        var remaining = 0
        var spacing = MediaDuration.zero
        var next = MediaTime.distantFuture
    }

    /// The most time from a request to its copy, and from that to the next.
    static let longestSpacing = MediaDuration.milliseconds(10)
    /// Requests whose copies are waited for at once; of more, the one that is nearest its end is given up.
    private static let capacity = 8

    /// Each request is followed by so many copies.
    init(count: Int) {
        copyCount = count
        slots = count > 0 ? Array(repeating: Slot(), count: RequestCopies.capacity) : []
    }

    /// When ``send(at:to:)`` has something to send.
    var nextTime: MediaTime {
        var earliest = MediaTime.distantFuture
        for index in slots.indices { earliest = min(earliest, slots[index].next) }
        return earliest
    }

    /// Keeps a request that is sent now.
    mutating func keep(_ datagram: [UInt8], roundTripTime: MediaDuration, at now: MediaTime) {
        guard copyCount > 0 else { return }
        var chosen = 0
        for index in slots.indices where slots[index].remaining < slots[chosen].remaining { chosen = index }
        slots[chosen].datagram.removeAll(keepingCapacity: true)
        slots[chosen].datagram.append(contentsOf: datagram)
        slots[chosen].remaining = copyCount
        slots[chosen].spacing = min(RequestCopies.longestSpacing, roundTripTime / (2 * copyCount + 1))
        slots[chosen].next = now + slots[chosen].spacing
    }

    /// Sends the copies that are due.
    mutating func send(at now: MediaTime, to feedback: some PacketSink) {
        for index in slots.indices where slots[index].next <= now {
            let datagram = slots[index].datagram
            feedback.send(datagram.span, at: now)
            slots[index].remaining -= 1
            slots[index].next = slots[index].remaining > 0 ? now + slots[index].spacing : .distantFuture
        }
    }
}
