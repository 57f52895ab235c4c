import Rill
import RillCore
import RillLink
import RillRTP
import RillReceive

/// Records the events of a session by layer; packets find their layer by SSRC.
struct SessionRecorder: Sendable {
    /// One for each layer, in order.
    let layers: [LayerRecorder]
    /// What congestion control does; `nil` without.
    let network: NetworkRecorder?
    private let sources = Monitor<[Source]>([])

    /// An SSRC of packets: a layer's own, or that of its retransmissions.
    private struct Source {
        var ssrc: SSRC
        var layer: LayerRecorder
        var sendsAgain: Bool
        var repair: RepairSettings
    }

    init(_ settings: SendSettings) {
        layers = settings.layers.map(LayerRecorder.init)
        network = settings.congestion == nil ? nil : NetworkRecorder()
    }

    /// Sets the streams of the layers, in order, before any packet.
    func follow(_ streams: [StreamDescription]) {
        let found = zip(streams, layers).flatMap { stream, recorder in
            let repair = stream.repair
            let own = stream.ssrc.map { Source(ssrc: $0, layer: recorder, sendsAgain: false, repair: repair) }
            let again = repair.retransmission?.ssrc.map {
                Source(ssrc: $0, layer: recorder, sendsAgain: true, repair: repair)
            }
            return [own, again].compactMap(\.self)
        }
        sources.withLock { $0 = found }
    }

    /// Notes a datagram that was handed to the network, which already knows its outcome.
    func noteSent(_ datagram: Span<UInt8>, _ outcome: SendOutcome, at now: MediaTime) {
        network?.sent(outcome, at: now)
        guard let source = source(of: datagram),
            let purpose = source.sendsAgain ? .retransmission : PacketPurpose(datagram, source.repair)
        else { return }
        let isLost = if case .queued = outcome { false } else { true }
        source.layer.sent(byteCount: datagram.count, purpose, isLost: isLost, at: now)
    }

    /// A link observer that calls ``noteSent(_:_:at:)``.
    var linkObserver: LiveLink.Observer {
        { datagram, now, outcome in noteSent(datagram, outcome, at: now) }
    }

    /// Notes a datagram that arrived at the receiver.
    func noteArrival(_ datagram: Span<UInt8>, at now: MediaTime) {
        source(of: datagram)?.layer.received(byteCount: datagram.count, at: now)
    }

    private func source(of datagram: Span<UInt8>) -> Source? {
        guard PacketKind(of: datagram) == .rtp, let ssrc = SSRC(ofSenderOf: datagram) else { return nil }
        return sources.withLock { $0.first { $0.ssrc == ssrc } }
    }
}

/// The purpose of an RTP packet of a layer.
enum PacketPurpose: Equatable {
    /// A packet of the layer's own stream, with its sequence number: a retransmission if a newer one was already
    /// sent.
    case media(SequenceNumber)
    /// An FEC packet, which also has a sequence number of that stream.
    case fec(SequenceNumber)
    /// A packet of the retransmission stream.
    case retransmission

    /// The purpose of a packet with a stream's own SSRC; `nil` if it cannot be parsed.
    ///
    /// - Parameters:
    ///   - bytes: the packet.
    ///   - repair: the negotiated repair formats.
    init?(_ bytes: Span<UInt8>, _ repair: RepairSettings) {
        // Why it cannot be parsed does not matter: such a packet is not recorded.
        guard let packet = try? RTPPacket(parsing: bytes) else { return nil }
        let number = packet.header.sequenceNumber
        var type = packet.header.payloadType
        // RED with one block, as we send it: F is 0, and the other bits are the block's payload type (RFC 2198 §3).
        if type == repair.redPayloadType, !packet.payload.isEmpty { type = PayloadType(packet.payload[0] & 0x7F) }
        self = type == repair.fecPayloadType ? .fec(number) : .media(number)
    }
}
