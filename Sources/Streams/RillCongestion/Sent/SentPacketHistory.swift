public import RillCore
public import RillRTP

/// The sent packets that the receiver has not reported yet.
///
/// ```swift
/// let number = history.record(.media, byteCount: datagram.count + 28, at: now)   // into the packet's header extension
/// estimate.take(feedback, of: &history, at: now)
/// ```
///
/// For feedback by stream (RFC 8888), record packets with their stream and sequence number:
///
/// ```swift
/// history.record(.media, of: ssrc, sequenceNumber, byteCount: datagram.count + 28, at: now)
/// ```
///
/// Feedback may be lost, repeated, delayed or reordered: each packet has at most one outcome. Feedback usually
/// repeats the two before it (``FeedbackBuilder``). So a packet is reported as lost only if all feedback that listed
/// it reported it as missing.
///
/// Forged feedback is safe. Numbers and streams that were never sent, or lie too far back, are counted and ignored.
/// The memory grows to the packets in flight, up to ``maximumCapacity``, and to ``maximumStreamCount`` streams;
/// beyond that the oldest are forgotten. Nothing is allocated per packet after that.
///
/// It is a value with one owner and reads no clock. Sources: draft-holmer-rmcat-transport-wide-cc-extensions-01, RFC
/// 8888.
public struct SentPacketHistory: ~Copyable, Sendable {
    /// The maximum number of packets: one second at 78 Mbit/s with 1200 bytes a packet.
    public static let maximumCapacity = 8192
    /// The maximum number of streams for feedback by stream.
    public static let maximumStreamCount = 64
    private static let initialCapacity = 256

    /// Reports that could not be used, by reason.
    public struct Refusals: Equatable, Sendable {
        /// Reports on packets that were never sent.
        public var neverSent = 0
        /// Reports on packets of streams that were never sent, or that were forgotten.
        public var unknownStream = 0
        /// Reports on packets with a known outcome. Feedback that repeats causes many.
        public var repeated = 0
        /// Reports on packets that were forgotten.
        public var forgotten = 0
        /// Feedback that is older than the last one.
        public var outdated = 0
    }

    @usableFromInline
    struct Entry: BitwiseCopyable, Sendable {
        @usableFromInline var sendTime: MediaTime
        /// The arrival time, until the outcome is passed on.
        @usableFromInline var arrival = MediaTime.zero
        @usableFromInline var byteCount: Int32
        /// The bytes that count as in flight: all or none.
        @usableFromInline var openByteCount: Int32
        @usableFromInline var train: Int32
        @usableFromInline var kind: OutgoingPacket.Kind
        @usableFromInline var mark = CongestionControlFeedback.ECNMark.notCapable
        @usableFromInline var state = State.inFlight
        /// Whether a report by stream may refer to this packet. It may not if the packet has no sequence number of a
        /// stream, or shares it with another packet.
        @usableFromInline var isIdentified = false

        @usableFromInline
        enum State: UInt8, BitwiseCopyable, Sendable {
            case inFlight
            /// Reported as missing at least once.
            case missing
            /// The outcome is known, but not passed on yet. Outcomes are passed on in the order of sending, which
            /// feedback by stream does not have.
            case arrived, lost, unknown
            case resolved
        }

        @inlinable
        init(
            sendTime: MediaTime, byteCount: Int32, train: Int32, kind: OutgoingPacket.Kind, state: State = .inFlight
        ) {
            (self.sendTime, self.byteCount, openByteCount, self.train) = (sendTime, byteCount, byteCount, train)
            (self.kind, self.state) = (kind, state)
        }

        /// In the place of a packet that was never sent.
        static let none = Entry(sendTime: .zero, byteCount: 0, train: 0, kind: .media, state: .resolved)

        /// The record of the packet with this number.
        @inline(__always)
        func packet(_ number: Int64, followsMissing: Bool = false) -> PacketRecord {
            PacketRecord(
                number: number, sendTime: sendTime, byteCount: byteCount, kind: kind, train: train, mark: mark,
                followsMissing: followsMissing)
        }

        /// Marks the packet as resolved: its outcome was passed on.
        @inline(__always)
        mutating func resolve() { (state, openByteCount) = (.resolved, 0) }

        var isOpen: Bool { state.rawValue <= State.missing.rawValue }
    }

    /// Reports that could not be used, by reason.
    public internal(set) var refusals = Refusals()
    /// The bytes in flight: those of packets with an open outcome.
    @inlinable public var bytesInFlight: Int { openByteCount }

    @usableFromInline var openByteCount = 0

    /// The packets by transport-wide number.
    @usableFromInline var ring = NumberedRing(capacity: SentPacketHistory.initialCapacity, filler: Entry.none)
    /// The number of the next packet.
    @usableFromInline var next: Int64 = 0
    /// The number of the oldest packet whose outcome may be open.
    @usableFromInline var oldest: Int64 = 0
    /// The ring has room up to this number at least.
    @usableFromInline var roomEnd = Int64(SentPacketHistory.initialCapacity)
    /// No packet before this one counts as in flight.
    private var firstCounted: Int64 = 0
    /// The reference times of transport-wide feedback, in units of 64 ms: below two years.
    var references = ArrivalClock(bitWidth: 24, limit: 1 << 30)
    var feedbackCounts = CounterExtender(bitWidth: 8)
    var byStream = StreamReports()
    /// The arrival times of the present transport-wide feedback, with room for all packets in the ring.
    var arrivals = NumberedRing<Int64>(capacity: SentPacketHistory.initialCapacity, filler: 0)

    /// Creates an empty history. The first packet has the number 0.
    public init() {}

    /// Records a packet that is sent now.
    ///
    /// - Parameters:
    ///   - kind: the packet's purpose.
    ///   - byteCount: its size on the path in bytes, below 2 GB.
    ///   - train: the number of its train, which increases with each pause of the pacer.
    ///   - now: the time when it is passed to the network.
    /// - Returns: its transport-wide sequence number.
    @inlinable
    public mutating func record(
        _ kind: OutgoingPacket.Kind, byteCount: Int, train: Int = 0, at now: MediaTime
    ) -> SequenceNumber {
        if next >= roomEnd { makeRoom() }
        let entry = Entry(
            sendTime: now, byteCount: Int32(truncatingIfNeeded: byteCount), train: Int32(truncatingIfNeeded: train),
            kind: kind)
        ring[next] = entry
        openByteCount &+= Int(entry.byteCount)
        defer { next &+= 1 }
        return SequenceNumber(UInt16(truncatingIfNeeded: next))
    }

    /// Forgets all packets in flight, for example after a change of the path. Their numbers are not used again.
    public mutating func reset() {
        for number in oldest..<next { ring[number].resolve() }
        (oldest, openByteCount) = (next, 0)
        references.restart()
        feedbackCounts = CounterExtender(bitWidth: 8)
        byStream.restart()
    }

    /// Stops counting packets as in flight that were sent before a time. Their outcomes stay open: late feedback
    /// still resolves them.
    ///
    /// - Parameter time: usually now less an RTT and half a second. An older packet is lost, or its feedback is.
    public mutating func expire(sentBefore time: MediaTime) {
        var number = max(firstCounted, oldest)
        while number < next, ring[number].sendTime < time {
            uncount(number)
            number += 1
        }
        firstCounted = number
    }

    // MARK: For feedback of either kind

    /// Stops counting a packet as in flight.
    mutating func uncount(_ number: Int64) {
        openByteCount &-= Int(ring[number].openByteCount)
        ring[number].openByteCount = 0
    }

    /// Moves the oldest packet past those with a known outcome.
    mutating func skipResolved() {
        while oldest < next, ring[oldest].state == .resolved { oldest &+= 1 }
    }

    /// Makes room for a packet: it replaces a resolved packet, grows the ring to twice the size, or replaces the
    /// oldest packet.
    @inline(never)
    @usableFromInline
    mutating func makeRoom() {
        if Int(next - oldest) >= ring.capacity {
            if ring.capacity < SentPacketHistory.maximumCapacity {
                ring.grow(to: 2 * ring.capacity, keeping: oldest..<next, filler: Entry.none)
                arrivals.grow(to: ring.capacity, keeping: 0..<0, filler: 0)
            } else {
                uncount(oldest)
                oldest += 1
            }
        }
        roomEnd = oldest + Int64(ring.capacity)
    }
}
