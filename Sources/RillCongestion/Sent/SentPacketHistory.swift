public import RillCore
public import RillRTP

/// The packets that a transport sent and the receiver has not reported yet.
///
/// ```swift
/// let number = history.record(.media, byteCount: datagram.count + 28, at: now)   // into the packet's header extension
/// estimate.take(feedback, of: &history, at: now)
/// ```
///
/// For feedback by stream (RFC 8888) packets are recorded with their stream and sequence number:
///
/// ```swift
/// history.record(.media, of: ssrc, sequenceNumber, byteCount: datagram.count + 28, at: now)
/// ```
///
/// Feedback may be lost, repeated, delayed or reordered: every packet gets one outcome at most. Each feedback usually repeats the
/// two before it (``FeedbackBuilder``), so a packet is reported as lost only when it was missing in all that listed it.
///
/// Any feedback is safe. Numbers and streams that were never sent, or lie too far back, are counted and ignored. The memory grows to
/// the packets in flight, up to ``maximumCapacity``, and to ``maximumStreamCount`` streams; beyond that the oldest are forgotten.
/// Nothing is allocated per packet once it has grown.
///
/// A value with one owner: it reads no clock. Sources: draft-holmer-rmcat-transport-wide-cc-extensions-01, RFC 8888.
public struct SentPacketHistory: ~Copyable, Sendable {
    /// The packets that are remembered at most: at 1200 bytes a packet, one second at 78 Mbit/s.
    public static let maximumCapacity = 8192
    /// The streams whose sequence numbers are remembered at most.
    public static let maximumStreamCount = 64
    private static let initialCapacity = 256

    /// What feedback could not be used for.
    public struct Refusals: Equatable, Sendable {
        /// Reports of packets that were never sent.
        public var neverSent = 0
        /// Reports of packets of streams that were never sent, or whose last packet is long ago.
        public var unknownStream = 0
        /// Reports of packets that were reported before; repeated feedback makes many.
        public var repeated = 0
        /// Reports of packets that are not remembered any more.
        public var forgotten = 0
        /// Feedback that is older than feedback that was taken already.
        public var outdated = 0
    }

    @usableFromInline
    struct Entry: BitwiseCopyable, Sendable {
        @usableFromInline var sendTime: MediaTime
        /// When it arrived, while that is to be resolved.
        @usableFromInline var arrival = MediaTime.zero
        @usableFromInline var byteCount: Int32
        /// The bytes that count as in flight: all or none.
        @usableFromInline var openByteCount: Int32
        @usableFromInline var train: Int32
        @usableFromInline var kind: OutgoingPacket.Kind
        @usableFromInline var mark = CongestionControlFeedback.ECNMark.notCapable
        @usableFromInline var state = State.inFlight
        /// Whether a report by stream may mean this packet. It may not if it has no number of a stream, or shares it with another packet.
        @usableFromInline var isIdentified = false

        @usableFromInline
        enum State: UInt8, BitwiseCopyable, Sendable {
            case inFlight
            /// Listed as missing at least once.
            case missing
            /// The outcome is known, and to be resolved: in the order of sending, while feedback by stream comes in another one.
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

        /// What is known of the packet, which has that number.
        @inline(__always)
        func packet(_ number: Int64, followsMissing: Bool = false) -> PacketRecord {
            PacketRecord(
                number: number, sendTime: sendTime, byteCount: byteCount, kind: kind, train: train, mark: mark,
                followsMissing: followsMissing)
        }

        /// Notes that the outcome is known, and resolved.
        @inline(__always)
        mutating func resolve() { (state, openByteCount) = (.resolved, 0) }

        var isOpen: Bool { state.rawValue <= State.missing.rawValue }
    }

    /// What feedback could not be used for.
    public internal(set) var refusals = Refusals()
    /// The bytes of the packets whose outcome is open.
    @inlinable public var bytesInFlight: Int { openByteCount }

    @usableFromInline var openByteCount = 0

    /// The packets by number.
    @usableFromInline var ring = NumberedRing(capacity: SentPacketHistory.initialCapacity, filler: Entry.none)
    /// The number of the next packet.
    @usableFromInline var next: Int64 = 0
    /// The number of the oldest packet whose outcome may be open.
    @usableFromInline var oldest: Int64 = 0
    /// There is room at least up to this number.
    @usableFromInline var roomEnd = Int64(SentPacketHistory.initialCapacity)
    /// No packet before this one counts as in flight.
    private var firstCounted: Int64 = 0
    /// The times of transport-wide feedback, in steps of 64 ms: below two years.
    var references = ArrivalClock(bitWidth: 24, limit: 1 << 30)
    var feedbackCounts = CounterExtender(bitWidth: 8)
    var byStream = StreamReports()
    /// The arrival times of the transport-wide feedback that is being taken: there is room for those of all packets in the ring.
    var arrivals = NumberedRing<Int64>(capacity: SentPacketHistory.initialCapacity, filler: 0)

    /// A history without packets. The first packet has the number 0.
    public init() {}

    /// Records a packet that is sent now.
    ///
    /// - Parameters:
    ///   - kind: the packet's purpose.
    ///   - byteCount: its size on the path in bytes, below 2 GB.
    ///   - train: the number of its train, which rises whenever the pacer had a pause before it.
    ///   - now: when it is handed to the network.
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

    /// Forgets all packets in flight, as after a change of the path. Their numbers are not used again.
    public mutating func reset() {
        for number in oldest..<next { ring[number].resolve() }
        (oldest, openByteCount) = (next, 0)
        references.restart()
        feedbackCounts = CounterExtender(bitWidth: 8)
        byStream.restart()
    }

    /// Stops counting packets as in flight that were sent before a time. Their outcomes stay open: late feedback still settles them.
    ///
    /// - Parameter time: usually now less a round trip and half a second; what was sent before that is lost, or its feedback is.
    public mutating func expire(sentBefore time: MediaTime) {
        var number = max(firstCounted, oldest)
        while number < next, ring[number].sendTime < time {
            uncount(number)
            number += 1
        }
        firstCounted = number
    }

    // MARK: For feedback of either kind

    /// Counts a packet as in flight no more.
    mutating func uncount(_ number: Int64) {
        openByteCount &-= Int(ring[number].openByteCount)
        ring[number].openByteCount = 0
    }

    /// Moves the oldest packet past those whose outcome is known.
    mutating func skipResolved() {
        while oldest < next, ring[oldest].state == .resolved { oldest &+= 1 }
    }

    /// Makes room for a packet: in the place of one whose outcome is known, in a ring of twice the size, or in the place of the oldest packet.
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
