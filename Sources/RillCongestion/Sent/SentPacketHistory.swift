public import RillCore
public import RillRTP

/// The packets that a transport sent and the receiver has not reported yet.
///
/// ```swift
/// let number = history.record(.media, byteCount: datagram.count + 28, at: now)   // into the packet's header extension
/// history.take(feedback) { packet, fate in estimate.note(packet, fate, at: now) }
/// ```
///
/// Feedback may be lost, repeated, delayed or reordered: every packet gets one fate at most. Each feedback usually repeats the
/// two before it (``FeedbackBuilder``), so a packet is reported as lost only when it was missing in all that listed it.
///
/// Any feedback is safe. Numbers that were never sent, or lie too far back, are counted and ignored. The memory grows to the
/// packets in flight, up to ``maximumCapacity``; beyond that the oldest packets are forgotten. Nothing is allocated per packet
/// once it has grown.
///
/// A pure value with one owner: it reads no clock. Source: draft-holmer-rmcat-transport-wide-cc-extensions-01.
public struct SentPacketHistory: Sendable {
    /// The packets that are remembered at most: at 1200 bytes a packet, one second at 78 Mbit/s.
    public static let maximumCapacity = 8192
    private static let initialCapacity = 256

    /// What feedback could not be used for.
    public struct Refusals: Equatable, Sendable {
        /// Reports of packets that were never sent.
        public var neverSent = 0
        /// Reports of packets that were reported before; repeated feedback makes many.
        public var repeated = 0
        /// Reports of packets that are not remembered any more.
        public var forgotten = 0
        /// Feedback that is older than feedback that was taken already.
        public var outdated = 0
    }

    private struct Entry {
        var packet: PacketRecord
        var state: State
        /// Whether it counts as in flight.
        var isCounted = true

        enum State: UInt8 {
            case inFlight
            /// Listed as missing at least once.
            case missing
            case settled
        }
    }

    /// What feedback could not be used for.
    public private(set) var refusals = Refusals()
    /// The bytes of the packets whose fate is open.
    public private(set) var bytesInFlight = 0

    /// A ring: the packet of number n is at n modulo its count, a power of two.
    private var ring: [Entry] = []
    /// The number of the next packet.
    private var next: Int64 = 0
    /// The number of the oldest packet whose fate may be open.
    private var oldest: Int64 = 0
    /// No packet before this one counts as in flight.
    private var firstCounted: Int64 = 0
    private var references = CounterExtender(bitWidth: 24)
    private var feedbackCounts = CounterExtender(bitWidth: 8)

    /// A history without packets. The first packet has the number 0.
    public init() {}

    /// Records a packet that is sent now.
    ///
    /// - Parameters:
    ///   - kind: the packet's purpose.
    ///   - byteCount: its size on the path in bytes.
    ///   - train: the number of its train, which rises whenever the pacer had a pause before it.
    ///   - now: when it is handed to the network.
    /// - Returns: its transport-wide sequence number.
    public mutating func record(
        _ kind: OutgoingPacket.Kind, byteCount: Int, train: Int = 0, at now: MediaTime
    ) -> SequenceNumber {
        if Int(next - oldest) >= ring.count { makeRoom() }
        let packet = PacketRecord(
            number: next, sendTime: now, byteCount: Int32(clamping: byteCount), kind: kind,
            train: Int32(truncatingIfNeeded: train))
        ring[place(next)] = Entry(packet: packet, state: .inFlight)
        bytesInFlight += Int(packet.byteCount)
        next += 1
        return SequenceNumber(UInt16(truncatingIfNeeded: packet.number))
    }

    /// Takes feedback, and passes each packet whose fate it settles to `body`, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback, from anybody.
    ///   - body: receives the packet and its fate.
    public mutating func take(_ feedback: borrowing TransportFeedback, _ body: (PacketRecord, PacketFate) -> Void) {
        guard next > 0 else {
            refusals.neverSent += feedback.count
            return
        }
        let first = extended(feedback.baseSequenceNumber)
        guard isNew(feedback, first: first) else { return }
        // What the receiver does not list any more keeps the fate that it was listed with.
        settle(before: first, body)
        // 64 ms per step of the reference time, 250 µs per step of a delta.
        var ticks = references.extend(UInt32(bitPattern: feedback.referenceTime) & 0xFF_FFFF) * 256
        var number = first
        var packets = feedback.packets
        while let packet = packets.next() {
            switch packet.status {
            case .received(let delta):
                ticks += Int64(delta)
                arrive(number, MediaTime(nanoseconds: ticks * 250_000), body)
            case .notReceived: miss(number)
            }
            number += 1
        }
        while oldest < next, ring[place(oldest)].state == .settled { oldest += 1 }
    }

    /// Forgets all packets in flight, as after a change of the path. Their numbers are not used again.
    public mutating func reset() {
        for number in oldest..<next { ring[place(number)].state = .settled }
        (oldest, bytesInFlight) = (next, 0)
        references = CounterExtender(bitWidth: 24)
        feedbackCounts = CounterExtender(bitWidth: 8)
    }

    /// Stops counting packets as in flight that were sent before a time. Their fates stay open: late feedback still settles them.
    ///
    /// - Parameter time: usually now less a round trip and half a second; what was sent before that is lost, or its feedback is.
    public mutating func expire(sentBefore time: MediaTime) {
        var number = max(firstCounted, oldest)
        while number < next, ring[place(number)].packet.sendTime < time {
            uncount(place(number))
            number += 1
        }
        firstCounted = number
    }

    private mutating func uncount(_ index: Int) {
        guard ring[index].isCounted, ring[index].state != .settled else { return }
        ring[index].isCounted = false
        bytesInFlight -= Int(ring[index].packet.byteCount)
    }

    // MARK: Numbers

    private func place(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (ring.count - 1) }

    /// The number that is closest to the newest packet's. A receiver lists nothing that was not sent, so it lies before that.
    private func extended(_ number: SequenceNumber) -> Int64 {
        let distance = Int64(Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: next - 1)))
        return next - 1 + distance
    }

    /// Whether feedback is at least as new as what was taken. Older feedback has nothing that a newer one did not repeat.
    private mutating func isNew(_ feedback: borrowing TransportFeedback, first: Int64) -> Bool {
        let count = feedbackCounts.peek(UInt32(feedback.feedbackCount))
        if let newest = feedbackCounts.newest, count < newest, newest - count < 64 {
            refusals.outdated += 1
            return false
        }
        _ = feedbackCounts.extend(UInt32(feedback.feedbackCount))
        return true
    }

    // MARK: Fates

    private mutating func arrive(_ number: Int64, _ arrival: MediaTime, _ body: (PacketRecord, PacketFate) -> Void) {
        guard let index = openPlace(number) else { return }
        uncount(index)
        ring[index].state = .settled
        body(ring[index].packet, .received(arrival: arrival))
    }

    private mutating func miss(_ number: Int64) {
        guard let index = openPlace(number) else { return }
        ring[index].state = .missing
    }

    private mutating func settle(before first: Int64, _ body: (PacketRecord, PacketFate) -> Void) {
        while oldest < min(first, next) {
            let index = place(oldest)
            oldest += 1
            guard ring[index].state != .settled else { continue }
            let fate = ring[index].state == .missing ? PacketFate.lost : .unknown
            uncount(index)
            ring[index].state = .settled
            body(ring[index].packet, fate)
        }
    }

    /// The place of a packet whose fate is open.
    private mutating func openPlace(_ number: Int64) -> Int? {
        guard number < next, number >= 0 else {
            refusals.neverSent += 1
            return nil
        }
        guard number >= oldest else {
            refusals.forgotten += number < next - Int64(ring.count) ? 1 : 0
            refusals.repeated += number < next - Int64(ring.count) ? 0 : 1
            return nil
        }
        let index = place(number)
        guard ring[index].state != .settled else {
            refusals.repeated += 1
            return nil
        }
        return index
    }

    // MARK: Memory

    /// Doubles the ring, or forgets the oldest packet.
    private mutating func makeRoom() {
        guard ring.count < SentPacketHistory.maximumCapacity else {
            uncount(place(oldest))
            oldest += 1
            return
        }
        let empty = Entry(
            packet: PacketRecord(number: -1, sendTime: .zero, byteCount: 0, kind: .media, train: 0), state: .settled)
        var grown = [Entry](repeating: empty, count: max(Self.initialCapacity, 2 * ring.count))
        for number in oldest..<next {
            grown[Int(truncatingIfNeeded: number) & (grown.count - 1)] = ring[place(number)]
        }
        ring = grown
    }
}
