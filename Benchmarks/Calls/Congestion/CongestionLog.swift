import Rill
import RillLab
import RillLink
import RillRTP
import RillSend

/// The log of a call whose bitrate follows the network.
final class CongestionLog: CallObserver {
    /// A datagram that was sent forward.
    struct Packet {
        var time: MediaTime
        /// With the headers of IP and UDP.
        var byteCount: Int
        var purpose: Purpose
        /// The wait in the queue and the end of its transmission; `nil` if the queue dropped it.
        var wait: MediaDuration?
        var departure: MediaTime?
        /// When it arrived first, itself or retransmitted.
        var arrival: MediaTime?
        /// Whether the link delivers it; `nil` if that is unknown, as in real time.
        var isDelivered: Bool?
        /// Whether it, or a retransmission of it, is delivered.
        var isProvided = false
    }

    enum Purpose {
        case media, retransmission, padding, rtcp
        /// A retransmission of what had arrived, or was about to: a probe, or a mistake.
        case needless
        /// One more retransmission of what was lost, although an earlier one is about to arrive.
        case doubled
    }

    /// A frame of a layer.
    struct Frame {
        var captureTime: MediaTime
        var sentAt: MediaTime
        var byteCount = 0
        var packets: [Int] = []
        var shownAt: MediaTime?
    }

    struct Layer {
        var ssrc: SSRC
        var retransmissionSSRC: SSRC?
        var frames: [Frame] = []
        var places: [UInt32: Int] = [:]
        /// Pictures in the order of showing.
        var shown: [MediaTime] = []
        var newest: SequenceNumber?
        /// The packets of media by sequence number, the newest of each.
        var sent: [UInt16: Int] = [:]
        /// The capture time of the picture that was shown last.
        var newestShown: MediaTime?
    }

    private(set) var packets: [Packet] = []
    private(set) var layers: [Layer] = []
    /// The estimates, whenever they changed.
    private(set) var rates: [(time: MediaTime, rate: Int)] = []
    private(set) var feedbackByteCount = 0
    /// The mean squared error of pictures of the high layer.
    private(set) var errors: [(time: MediaTime, error: Double)] = []
    private let cuts: ClipCuts
    /// When the clip's first frame was captured.
    var clipStart = MediaTime.zero

    init(cuts: ClipCuts) { self.cuts = cuts }

    /// Whether a scene of the clip began in the second before.
    func isNearCut(_ time: MediaTime) -> Bool { cuts.isNear(MediaTime.zero + (time - clipStart)) }

    func callBegan(streams: [RTPStreamSettings]) {
        callBegan(streams.map { Layer(ssrc: $0.ssrc, retransmissionSSRC: $0.retransmission?.ssrc) })
    }

    func callBegan(_ streams: [Layer]) { layers = streams }

    func datagramWasSent(
        _ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome
    ) {
        guard direction == .toReceiver else {
            feedbackByteCount += datagram.count + 28
            return
        }
        // Our own packets are valid: all others are RTCP.
        let packet = try? RTPPacket(parsing: datagram)
        noteSent(packet?.header, payloadByteCount: packet?.payload.count ?? 0, byteCount: datagram.count, at: now)
        let isDelivered = if case .queued = outcome { true } else { false }
        packets[packets.count - 1].isDelivered = isDelivered
        if let packet { noteOutcome(of: packet, isDelivered) }
    }

    /// Notes whether the newest packet is delivered, and whether a retransmission was needed.
    private func noteOutcome(of packet: borrowing RTPPacket, _ isDelivered: Bool) {
        let place = packets.count - 1
        guard packets[place].purpose == .retransmission else {
            packets[place].isProvided = isDelivered
            return
        }
        guard let original = original(of: packet) else { return }
        if packets[original].isDelivered == true {
            packets[place].purpose = .needless
        } else if packets[original].isProvided {
            packets[place].purpose = .doubled
        }
        if isDelivered { packets[original].isProvided = true }
    }

    /// The packet of media that a packet is, or retransmits.
    private func original(of packet: borrowing RTPPacket) -> Int? {
        guard packet.payload.count >= 2 else { return nil }
        let header = packet.header
        for layer in layers {
            if header.ssrc == layer.ssrc { return layer.sent[header.sequenceNumber.rawValue] }
            guard header.ssrc == layer.retransmissionSSRC else { continue }
            return layer.sent[UInt16(packet.payload[0]) << 8 | UInt16(packet.payload[1])]
        }
        return nil
    }

    /// Notes a datagram that was sent forward; without a header it is RTCP.
    func noteSent(_ header: RTPHeader?, payloadByteCount: Int, byteCount: Int, at now: MediaTime) {
        var packet = Packet(time: now, byteCount: byteCount + 28, purpose: .rtcp)
        if let header { packet.purpose = note(header, payloadByteCount, at: now) }
        packets.append(packet)
    }

    /// Notes how the datagram that was sent last passed the bottleneck; without a wait it did not.
    func notePassed(wait: MediaDuration?, departure: MediaTime?) {
        packets[packets.count - 1].wait = wait
        packets[packets.count - 1].departure = departure
    }

    func datagramPassed(_ passage: BottleneckPassage?, _ direction: LinkDirection) {
        if direction == .toReceiver { notePassed(wait: passage?.wait, departure: passage?.departure) }
    }

    func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime) {
        // Our own packets are valid: all others are RTCP. Without two bytes of payload it is padding.
        guard direction == .toReceiver, let packet = try? RTPPacket(parsing: datagram),
            let place = original(of: packet)
        else { return }
        packets[place].arrival = packets[place].arrival ?? now
    }

    func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime) {
        let place = layers[layer].place(of: timestamp, at: now)
        layers[layer].frames[place].captureTime = captureTime
    }

    func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime) {
        layers[layer].shown.append(now)
        guard let place = layers[layer].places[timestamp.rawValue] else { return }
        layers[layer].frames[place].shownAt = now
        layers[layer].newestShown = layers[layer].frames[place].captureTime
    }

    func keyFrameWasRequested(layer: Int, at now: MediaTime) {}

    func rateWasEstimated(_ rate: Bitrate, at now: MediaTime) {
        if rates.last?.rate != rate.bitsPerSecond { rates.append((now, rate.bitsPerSecond)) }
    }

    func noteError(_ error: Double, at time: MediaTime) { errors.append((time, error)) }

    private func note(_ header: RTPHeader, _ payloadByteCount: Int, at now: MediaTime) -> Purpose {
        for index in layers.indices {
            if header.ssrc == layers[index].retransmissionSSRC {
                return payloadByteCount < 2 ? .padding : .retransmission
            }
            guard header.ssrc == layers[index].ssrc else { continue }
            if payloadByteCount == 0 { return .padding }
            if let newest = layers[index].newest, !header.sequenceNumber.isNewer(than: newest) {
                return .retransmission
            }
            layers[index].newest = header.sequenceNumber
            layers[index].sent[header.sequenceNumber.rawValue] = packets.count
            let place = layers[index].place(of: header.timestamp, at: now)
            layers[index].frames[place].byteCount += payloadByteCount
            layers[index].frames[place].packets.append(packets.count)
            return .media
        }
        return .padding
    }
}

extension CongestionLog.Layer {
    /// The frame with that timestamp, which its first packet begins.
    fileprivate mutating func place(of timestamp: RTPTimestamp, at now: MediaTime) -> Int {
        if let place = places[timestamp.rawValue] { return place }
        places[timestamp.rawValue] = frames.count
        frames.append(CongestionLog.Frame(captureTime: now, sentAt: now))
        return frames.count - 1
    }
}
