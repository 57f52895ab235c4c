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
    private let sources: [Source]

    /// An SSRC of packets: a layer's own, or that of its retransmissions.
    private struct Source {
        var ssrc: SSRC
        var layer: LayerRecorder
        var sendsAgain: Bool
        var repair: RepairSettings
    }

    init(_ sender: SendPipeline) {
        layers = sender.layers.map { LayerRecorder($0.settings) }
        network = sender.settings.congestion == nil ? nil : NetworkRecorder()
        sources = zip(sender.layers, layers).flatMap { layer, recorder in
            let repair = layer.description.repair
            let own = Source(ssrc: layer.ssrc, layer: recorder, sendsAgain: false, repair: repair)
            guard let again = repair.retransmission?.ssrc else { return [own] }
            return [own, Source(ssrc: again, layer: recorder, sendsAgain: true, repair: repair)]
        }
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
        return sources.first { $0.ssrc == ssrc }
    }
}
