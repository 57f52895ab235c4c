import Rill
import RillLab
import RillLink
import RillRTP
import RillSend

/// The log of one call: every frame, its packets, and when it was shown.
final class CallLog: CallObserver {
    /// A layer's frames, in sending order.
    struct Layer {
        var stream: RTPStreamSettings
        var frames: [Frame] = []
        var packets: [Packet] = []
        var places: [UInt32: Int] = [:]
        /// The shown frames, in showing order.
        var shown: [(frame: Int, at: MediaTime)] = []
        var keyFrameRequests = 0
        var retransmitted = 0
    }

    struct Frame {
        var timestamp: RTPTimestamp
        var captureTime = MediaTime.zero
        var sentAt: MediaTime
        var firstPacket: Int
        var packetCount = 0
    }

    struct Packet {
        /// Over all transmissions.
        var losses = 0
        /// Of the first transmission.
        var arrival: MediaTime?
    }

    /// The delays and the number of all datagrams of one direction.
    struct Direction {
        var sent = 0
        var bytes = 0
        var smallestDelay = MediaDuration(nanoseconds: .max)
        var delays = MediaDuration.zero
        var arrived = 0

        var meanDelay: MediaDuration { arrived == 0 ? .zero : delays / arrived }
    }

    private(set) var layers: [Layer] = []
    private(set) var path = Direction()
    private(set) var returnPath = Direction()
    /// Records the packets that arrive at the receiver, if requested.
    var capture: LinkCapture?

    func callBegan(streams: [RTPStreamSettings]) {
        layers = streams.map { Layer(stream: $0) }
    }

    func datagramWasSent(
        _ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome
    ) {
        var arrival: MediaTime?
        if case .queued(let time, _, _) = outcome { arrival = time }
        switch direction {
        case .toReceiver:
            path.note(datagram.count, arrival, at: now)
            guard PacketKind(of: datagram) == .rtp else { return }
            note(datagram, arrival, at: now)
        case .toSender: returnPath.note(datagram.count, arrival, at: now)
        }
    }

    func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime) {
        if direction == .toReceiver { capture?.add(datagram, .toReceiver, at: now) }
    }

    func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime) {
        guard let place = layers[layer].places[timestamp.rawValue] else { return }
        layers[layer].frames[place].captureTime = captureTime
    }

    func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime) {
        guard let place = layers[layer].places[timestamp.rawValue] else { return }
        layers[layer].shown.append((place, now))
    }

    func keyFrameWasRequested(layer: Int, at now: MediaTime) {
        layers[layer].keyFrameRequests += 1
    }

    /// Records a packet of a layer, or a retransmission on the same or on a separate stream.
    private func note(_ datagram: Span<UInt8>, _ arrival: MediaTime?, at now: MediaTime) {
        // Our own packets are always valid.
        guard let packet = try? RTPPacket(parsing: datagram) else { return }
        let header = packet.header
        for index in layers.indices {
            let stream = layers[index].stream
            if header.ssrc == stream.ssrc {
                layers[index].note(header, arrival, at: now)
            } else if header.ssrc == stream.retransmission?.ssrc, packet.payload.count >= 2 {
                // RFC 4588 §4: the original sequence number precedes the payload.
                let number = UInt16(packet.payload[0]) << 8 | UInt16(packet.payload[1])
                layers[index].noteRetransmitted(SequenceNumber(number), arrival)
            }
        }
    }
}

extension CallLog.Direction {
    mutating func note(_ byteCount: Int, _ arrival: MediaTime?, at now: MediaTime) {
        sent += 1
        bytes += byteCount
        guard let arrival else { return }
        arrived += 1
        delays += arrival - now
        smallestDelay = min(smallestDelay, arrival - now)
    }
}

extension CallLog.Layer {
    /// The packet's index, counted from the first packet.
    private func place(of number: SequenceNumber) -> Int {
        let next = stream.firstSequenceNumber.advanced(by: packets.count)
        return packets.count + number.distance(since: next)
    }

    fileprivate mutating func note(_ header: RTPHeader, _ arrival: MediaTime?, at now: MediaTime) {
        let place = place(of: header.sequenceNumber)
        guard place == packets.count else { return noteRetransmitted(header.sequenceNumber, arrival) }
        if frames.last?.timestamp != header.timestamp {
            places[header.timestamp.rawValue] = frames.count
            frames.append(CallLog.Frame(timestamp: header.timestamp, sentAt: now, firstPacket: place))
        }
        packets.append(CallLog.Packet(losses: arrival == nil ? 1 : 0, arrival: arrival))
        frames[frames.count - 1].packetCount += 1
        frames[frames.count - 1].sentAt = now
    }

    fileprivate mutating func noteRetransmitted(_ number: SequenceNumber, _ arrival: MediaTime?) {
        let place = place(of: number)
        guard packets.indices.contains(place) else { return }
        retransmitted += 1
        if arrival == nil { packets[place].losses += 1 }
    }
}
