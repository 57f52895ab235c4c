import RillCongestion
import RillCore
import RillRTP

/// Packets that wait for the pacer, and leave it for the ``DatagramQueue`` without another copy.
///
/// A slot's number is the pacer's token. The memory grows to the most that ever waited, up to ``PacketList/limit``, and
/// is reused.
final class PacedDatagrams: PacketSink {
    let cell: StateCell<PacedStorage>

    init(_ settings: CongestionSettings) { cell = StateCell(PacedStorage(settings)) }

    deinit { cell.state.deallocate() }

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

    func slot(_ token: Int) -> (slot: PacedStorage.Slot, byteCount: Int) { cell.state.slot(token) }

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
    private var packets = PacketList(
        unused: Slot(stream: 0, numberOffset: -1, train: 0, enqueued: .zero, kind: 0))
    private var free: [Int32] = []
    /// The number of the current packet train: it rises when the pacer has sent everything.
    private var train = 0
    // The stream of the packets that are appended now.
    private var stream = 0
    private var numberOffset: Int?
    private var isKeyFrame = false

    struct Slot: BitwiseCopyable {
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

    mutating func deallocate() { packets.deallocate() }

    mutating func begin(_ stream: Int, _ numberOffset: Int?, _ isKeyFrame: Bool) {
        (self.stream, self.numberOffset, self.isKeyFrame) = (stream, numberOffset, isKeyFrame)
    }

    mutating func append(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at now: MediaTime) {
        let isFirst = pacer.count == 0
        let slot = Slot(
            stream: stream, numberOffset: numberOffset ?? -1, train: isFirst ? train + 1 : train, enqueued: now,
            kind: kind.rawValue)
        guard let token = place(packet, slot) else {
            dropped += 1
            return
        }
        train = slot.train
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
    private mutating func place(_ packet: Span<UInt8>, _ slot: Slot) -> Int? {
        if let last = free.last {
            guard packets.replace(Int(last), with: packet, slot) else { return nil }
            free.removeLast()
            return Int(last)
        }
        return packets.append(packet, slot) ? packets.count - 1 : nil
    }

    /// The packet of a token that the pacer returned, and its bytes.
    func slot(_ token: Int) -> (slot: Slot, byteCount: Int) { (packets.entry(token), packets.byteCount(of: token)) }

    /// The stream and sequence number of an RTP packet.
    func identity(_ token: Int) -> (SSRC, SequenceNumber)? {
        let packet = packets.packet(token)
        guard let ssrc = SSRC(ofRTP: packet), let number = SequenceNumber(ofRTP: packet) else { return nil }
        return (ssrc, number)
    }

    /// Moves a packet into the queue, with its transport-wide sequence number, and frees its slot.
    mutating func move(_ token: Int, numbered number: SequenceNumber?, to queue: DatagramQueue, at now: MediaTime) {
        let slot = packets.entry(token)
        if let number { packets.write(number.rawValue, to: token, at: slot.numberOffset) }
        totalDelay = totalDelay + (now - slot.enqueued)
        queue.begin(slot.stream, numberOffset: nil)
        queue.append(moving: token, of: &packets, as: slot.purpose, at: now)
        free.append(Int32(truncatingIfNeeded: token))
    }

    /// Drops what waits of a stream and priority; returns the number of packets.
    mutating func discard(_ priority: PacketPriority, stream: Int) -> Int {
        let tokens = pacer.discard(priority, stream: stream)
        for token in tokens { free.append(Int32(truncatingIfNeeded: token)) }
        return tokens.count
    }
}
