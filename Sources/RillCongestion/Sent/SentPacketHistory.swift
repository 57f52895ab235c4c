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
/// Feedback may be lost, repeated, delayed or reordered: every packet gets one fate at most. Each feedback usually repeats the
/// two before it (``FeedbackBuilder``), so a packet is reported as lost only when it was missing in all that listed it.
///
/// Any feedback is safe. Numbers and streams that were never sent, or lie too far back, are counted and ignored. The memory grows to
/// the packets in flight, up to ``maximumCapacity``, and to ``maximumStreamCount`` streams; beyond that the oldest are forgotten.
/// Nothing is allocated per packet once it has grown.
///
/// A pure value with one owner: it reads no clock. Sources: draft-holmer-rmcat-transport-wide-cc-extensions-01, RFC 8888.
public struct SentPacketHistory: Sendable {
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

    struct Entry {
        var packet: PacketRecord
        var state: State
        /// Whether it counts as in flight.
        var isCounted = true
        /// Whether a report by stream may mean this packet. It may not if it has no number of a stream, or shares it with another packet.
        var isIdentified = false
        /// When it arrived, while that is to be told.
        var arrival = MediaTime.zero

        enum State: UInt8 {
            case inFlight
            /// Listed as missing at least once.
            case missing
            /// The fate is known, and to be told: in the order of sending, while feedback by stream comes in another one.
            case arrived, lost, unknown
            case settled
        }

        var isOpen: Bool { state == .inFlight || state == .missing }
    }

    /// What feedback could not be used for.
    public internal(set) var refusals = Refusals()
    /// The bytes of the packets whose fate is open.
    public internal(set) var bytesInFlight = 0

    /// A ring: the packet of number n is at n modulo its count, a power of two.
    var ring: [Entry] = []
    /// The number of the next packet.
    private(set) var next: Int64 = 0
    /// The number of the oldest packet whose fate may be open.
    var oldest: Int64 = 0
    /// No packet before this one counts as in flight.
    private var firstCounted: Int64 = 0
    /// The times of transport-wide feedback, in steps of 64 ms: below two years.
    var references = ArrivalClock(bitWidth: 24, limit: 1 << 30)
    var feedbackCounts = CounterExtender(bitWidth: 8)
    var byStream = StreamReports()
    /// The arrival times of the transport-wide feedback that is being taken.
    var arrivals: [Int64] = []
    /// The packets whose fate the last feedback settled, and their number.
    var settled: [SettledPacket] = []
    var settledCount = 0

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

    /// Forgets all packets in flight, as after a change of the path. Their numbers are not used again.
    public mutating func reset() {
        for number in oldest..<next { ring[place(number)].state = .settled }
        (oldest, bytesInFlight) = (next, 0)
        references.restart()
        feedbackCounts = CounterExtender(bitWidth: 8)
        byStream.restart()
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

    // MARK: For feedback of either kind

    func place(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (ring.count - 1) }

    mutating func uncount(_ index: Int) {
        guard ring[index].isCounted, ring[index].state != .settled else { return }
        ring[index].isCounted = false
        bytesInFlight -= Int(ring[index].packet.byteCount)
    }

    /// Moves the oldest packet past those whose fate is known.
    mutating func skipSettled() {
        while oldest < next, ring[place(oldest)].state == .settled { oldest += 1 }
    }

    // MARK: Settled packets

    /// Makes room for all packets whose fate is open.
    mutating func makeRoomForSettled() {
        guard settled.count < Int(next - oldest) else { return }
        let filler = SettledPacket(SentPacketHistory.noPacket, .unknown)
        settled = [SettledPacket](repeating: filler, count: ring.count)
    }

    /// Lists a packet as settled.
    mutating func list(_ place: Int, _ outcome: SettledPacket.Outcome, arrival: MediaTime = .zero) {
        settled[settledCount] = SettledPacket(ring[place].packet, outcome, arrival: arrival, place: place)
        settledCount += 1
    }

    /// Passes the settled packets on.
    func tell(_ body: (PacketRecord, PacketFate) -> Void) {
        for index in 0..<settledCount { body(ring[Int(settled[index].place)].packet, settled[index].fate) }
    }

    // MARK: Memory

    private static let noPacket = PacketRecord(number: -1, sendTime: .zero, byteCount: 0, kind: .media, train: 0)

    /// Doubles the ring, or forgets the oldest packet.
    private mutating func makeRoom() {
        guard ring.count < SentPacketHistory.maximumCapacity else {
            uncount(place(oldest))
            oldest += 1
            return
        }
        let empty = Entry(packet: SentPacketHistory.noPacket, state: .settled)
        var grown = [Entry](repeating: empty, count: max(Self.initialCapacity, 2 * ring.count))
        for number in oldest..<next {
            grown[Int(truncatingIfNeeded: number) & (grown.count - 1)] = ring[place(number)]
        }
        ring = grown
    }
}
