import RillCongestion
import RillCore
import RillRTP
import RillState

/// Packets that wait for the pacer. Each is copied in once, and out once, into the ``DatagramQueue``.
///
/// Slots of one size hold the bytes; a slot's number is the pacer's token. The memory grows to the most that ever
/// waited, up to ``DatagramQueue/limit``, and is reused.
final class PacedDatagrams: PacketSink {
    let cell: StateCell<PacedStorage>

    init(_ settings: CongestionSettings) { cell = StateCell(PacedStorage(settings)) }

    /// Assigns the following packets to a stream.
    ///
    /// - Parameters:
    ///   - stream: the stream's number.
    ///   - numberOffset: the offset of the transport-wide sequence number in each packet; `nil` if they have none.
    ///   - isKeyFrame: whether they belong to a key frame.
    func begin(_ stream: Int, numberOffset: Int?, isKeyFrame: Bool) {
        cell.state.begin(stream, numberOffset, isKeyFrame)
    }

    func send(_ packet: Span<UInt8>, at time: MediaTime) { cell.state.append(packet, as: .media, at: time) }

    func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        cell.state.append(packet, as: kind, at: time)
    }
}

// What congestion control asks of the packets. It does not reach into the cell itself: Swift 6.3 then makes invalid
// code for the thread sanitizer.
extension PacedDatagrams {
    func setRate(_ rate: Bitrate) { cell.state.pacer.setRate(rate) }

    func poll(at now: MediaTime) -> Pacer.Step { cell.state.pacer.poll(at: now) }

    func slot(_ token: Int) -> PacedStorage.Slot { cell.state.slot(token) }

    func identity(_ token: Int) -> (SSRC, SequenceNumber)? { cell.state.identity(token) }

    func move(_ token: Int, numbered number: SequenceNumber?, to queue: DatagramQueue, at now: MediaTime) {
        cell.state.move(token, numbered: number, to: queue, at: now)
    }

    func discard(_ priority: PacketPriority, stream: Int) -> Int { cell.state.discard(priority, stream: stream) }

    var count: Int { cell.state.pacer.count }

    var byteCount: Int { cell.state.pacer.byteCount }

    var isFull: Bool { cell.state.pacer.isFull }

    var totalDelay: MediaDuration { cell.state.totalDelay }

    var dropped: Int { cell.state.dropped }
}

/// The storage of ``PacedDatagrams``.
struct PacedStorage: ~Copyable {
    var pacer: Pacer
    /// The time that packets waited, summed (W3C `totalPacketSendDelay`).
    private(set) var totalDelay = MediaDuration.zero
    /// Packets that did not fit.
    private(set) var dropped = 0
    private let overhead: Int
    private var bytes = GrowingStorage<UInt8>(capacity: 64 * 1024)
    private var slots = GrowingStorage<Slot>(capacity: 64)
    private var free: [Int32] = []
    private var slotByteCount = 1280
    /// The number of the current packet train: it rises when the pacer has sent everything.
    private var train = 0
    // The stream of the packets that are appended now.
    private var stream = 0
    private var numberOffset: Int?
    private var isKeyFrame = false

    struct Slot: BitwiseCopyable {
        var byteCount: Int
        var stream: Int
        /// The offset of the transport-wide sequence number in the packet; -1 for none.
        var numberOffset: Int
        var train: Int
        var enqueued: MediaTime
        var kind: UInt8

        var purpose: OutgoingPacket.Kind { OutgoingPacket.Kind(rawValue: kind) ?? .media }
    }

    init(_ settings: CongestionSettings) {
        pacer = Pacer(rate: settings.start, queueLimit: settings.queueLimit)
        overhead = settings.packetOverhead
    }

    mutating func begin(_ stream: Int, _ numberOffset: Int?, _ isKeyFrame: Bool) {
        (self.stream, self.numberOffset, self.isKeyFrame) = (stream, numberOffset, isKeyFrame)
    }

    mutating func append(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at now: MediaTime) {
        guard let token = place(packet) else {
            dropped += 1
            return
        }
        if pacer.count == 0 { train += 1 }
        slots[token] = Slot(
            byteCount: packet.count, stream: stream, numberOffset: numberOffset ?? -1, train: train, enqueued: now,
            kind: kind.rawValue)
        pacer.enqueue(token, priority(of: kind), stream: stream, byteCount: packet.count + overhead, at: now)
    }

    private func priority(of kind: OutgoingPacket.Kind) -> PacketPriority {
        switch kind {
        case .media: isKeyFrame ? .keyFrame : .deltaFrame
        case .retransmission: .retransmission
        case .fec: .fec
        case .padding: .padding
        case .rtcp: .rtcp
        }
    }

    /// Copies a packet into a free slot.
    private mutating func place(_ packet: Span<UInt8>) -> Int? {
        if packet.count > slotByteCount { widen(to: packet.count) }
        let token: Int
        if let last = free.popLast() {
            token = Int(last)
        } else {
            token = slots.count
            guard (token + 1) * slotByteCount <= DatagramQueue.limit else { return nil }
            bytes.reserve(slotByteCount)
            slots.append(
                Slot(byteCount: 0, stream: 0, numberOffset: -1, train: 0, enqueued: .zero, kind: 0))
        }
        bytes.replace(from: token * slotByteCount, with: packet)
        return token
    }

    /// Makes all slots larger: rare, since a session's streams have one packet size.
    private mutating func widen(to byteCount: Int) {
        var larger = GrowingStorage<UInt8>(capacity: max(slots.count, 16) * byteCount)
        for token in 0..<slots.count {
            let start = token * slotByteCount
            larger.append(
                copying: bytes.values(of: start..<start + slots[token].byteCount),
                room: byteCount - slots[token].byteCount)
        }
        slotByteCount = byteCount
        bytes = larger
    }

    /// The packet of a token that the pacer returned.
    func slot(_ token: Int) -> Slot { slots[token] }

    /// The stream and sequence number of an RTP packet.
    func identity(_ token: Int) -> (SSRC, SequenceNumber)? {
        let start = token * slotByteCount
        let packet = bytes.values(of: start..<start + slots[token].byteCount)
        guard let ssrc = SSRC(ofRTP: packet), let number = SequenceNumber(ofRTP: packet) else { return nil }
        return (ssrc, number)
    }

    /// Moves a packet into the queue, with its transport-wide sequence number, and frees its slot.
    mutating func move(_ token: Int, numbered number: SequenceNumber?, to queue: DatagramQueue, at now: MediaTime) {
        let slot = slots[token]
        let start = token * slotByteCount
        if let number {
            bytes[start + slot.numberOffset] = UInt8(truncatingIfNeeded: number.rawValue >> 8)
            bytes[start + slot.numberOffset + 1] = UInt8(truncatingIfNeeded: number.rawValue)
        }
        totalDelay = totalDelay + (now - slot.enqueued)
        queue.begin(slot.stream, numberOffset: nil)
        queue.send(bytes.values(of: start..<start + slot.byteCount), as: slot.purpose, at: now)
        free.append(Int32(truncatingIfNeeded: token))
    }

    /// Drops what waits of a stream and priority; returns the number of packets.
    mutating func discard(_ priority: PacketPriority, stream: Int) -> Int {
        let tokens = pacer.discard(priority, stream: stream)
        for token in tokens { free.append(Int32(truncatingIfNeeded: token)) }
        return tokens.count
    }
}
