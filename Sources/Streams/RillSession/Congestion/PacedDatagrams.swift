import RillCongestion
import RillCore
import RillRTP

/// Packets that wait for the pacer, and leave it for the ``DatagramQueue`` without another copy.
///
/// A slot's number is the pacer's token. The memory grows to the most that ever waited, up to ``PacketList/limit``, and
/// is reused.
final class PacedDatagrams: PacketSink {
    // No code of an app runs during an access to one of these: see RTPSession.
    @safe @exclusivity(unchecked) private var pacer: Pacer
    /// The time that packets waited, summed (W3C `totalPacketSendDelay`).
    @safe @exclusivity(unchecked) private(set) var totalDelay = MediaDuration.zero
    /// Packets that did not fit.
    @safe @exclusivity(unchecked) private(set) var dropped = 0
    private let overhead: Int
    @safe @exclusivity(unchecked) private var packets = PacketList(
        unused: Slot(stream: 0, numberOffset: -1, train: 0, enqueued: .zero, kind: 0))
    @safe @exclusivity(unchecked) private var free: [Int32] = []
    /// The number of the current packet train: it rises when the pacer has sent everything.
    @safe @exclusivity(unchecked) private var train = 0
    // The stream of the packets that are appended now.
    @safe @exclusivity(unchecked) private var stream = 0
    @safe @exclusivity(unchecked) private var numberOffset: Int?
    @safe @exclusivity(unchecked) private var priority = PacketPriority.deltaFrame
    @safe @exclusivity(unchecked) private var ownRate: Bitrate?

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

    deinit { packets.deallocate() }

    /// Assigns the following packets to a stream.
    ///
    /// - Parameters:
    ///   - stream: the stream's number.
    ///   - numberOffset: the offset of the transport-wide sequence number in each packet; `nil` if they have none.
    ///   - priority: that of its media packets.
    ///   - rate: the rate at which they leave, if they are a probe.
    func begin(_ stream: Int, numberOffset: Int?, _ priority: PacketPriority, rate: Bitrate? = nil) {
        (self.stream, self.numberOffset, self.priority, ownRate) = (stream, numberOffset, priority, rate)
    }

    func send(_ packet: Span<UInt8>, at time: MediaTime) { send(packet, as: .media, at: time) }

    func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at now: MediaTime) {
        let isFirst = pacer.count == 0
        let slot = Slot(
            stream: stream, numberOffset: numberOffset ?? -1, train: isFirst ? train + 1 : train, enqueued: now,
            kind: kind.rawValue)
        guard let token = place(packet, slot) else {
            dropped += 1
            return
        }
        train = slot.train
        let byteCount = packet.count + overhead
        pacer.enqueue(token, priority(of: kind), stream: stream, byteCount: byteCount, at: now, rate: ownRate)
    }

    private func priority(of kind: OutgoingPacket.Kind) -> PacketPriority {
        switch kind {
        case .media: priority
        case .retransmission: .retransmission
        case .fec: .fec
        case .padding: .padding
        case .rtcp: .rtcp
        }
    }

    /// Copies a packet into a free slot.
    private func place(_ packet: Span<UInt8>, _ slot: Slot) -> Int? {
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
        packets.withPacket(token) { packet in
            guard let ssrc = SSRC(ofRTP: packet), let number = SequenceNumber(ofRTP: packet) else { return nil }
            return (ssrc, number)
        }
    }

    /// Moves a packet into the queue, with its transport-wide sequence number, and frees its slot.
    func move(_ token: Int, numbered number: SequenceNumber?, to queue: DatagramQueue, at now: MediaTime) {
        let slot = packets.entry(token)
        if let number { packets.write(number.rawValue, to: token, at: slot.numberOffset) }
        totalDelay = totalDelay + (now - slot.enqueued)
        queue.begin(slot.stream, numberOffset: nil)
        queue.append(moving: token, of: &packets, as: slot.purpose, at: now)
        free.append(Int32(truncatingIfNeeded: token))
    }

    /// Drops what waits of a stream and priority; returns the number of packets.
    func discard(_ priority: PacketPriority, stream: Int) -> Int {
        let tokens = pacer.discard(priority, stream: stream)
        for token in tokens { free.append(Int32(truncatingIfNeeded: token)) }
        return tokens.count
    }

    // MARK: The pacer

    func setRate(_ rate: Bitrate) { pacer.setRate(rate) }

    /// Sets whether packets of a frame leave together, for one segmented message of the driver.
    func setBursts(_ areAllowed: Bool) { pacer.setBurstLimit(areAllowed ? Pacer.maximumBurst : 1) }

    func poll(at now: MediaTime) -> Pacer.Step { pacer.poll(at: now) }

    var count: Int { pacer.count }

    var byteCount: Int { pacer.byteCount }

    var isFull: Bool { pacer.isFull }
}
