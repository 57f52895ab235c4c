import RillCore
import RillNetwork
import RillRTP

/// Writes down what happens in a session, layer by layer; packets find their layer by their SSRC.
struct SessionRecorder: Sendable {
    /// One for each layer, in their order.
    let layers: [LayerRecorder]
    private let routes: StreamRoutes

    init(_ sender: SendPipeline) {
        layers = sender.layers.map { LayerRecorder($0.settings) }
        routes = StreamRoutes(sender.layers.map(\.ssrc))
    }

    /// A datagram was handed to the network, which knows already what will become of it.
    func noteSent(_ datagram: Span<UInt8>, _ outcome: SendOutcome, at now: MediaTime) {
        guard let layer = layer(of: datagram) else { return }
        let isLost = if case .queued = outcome { false } else { true }
        layer.sent(byteCount: datagram.count, isLost: isLost, at: now)
    }

    /// What tells a link to do so.
    var linkObserver: LiveLink.Observer {
        { datagram, now, outcome in noteSent(datagram, outcome, at: now) }
    }

    /// A datagram arrived at the receiver.
    func noteArrival(_ datagram: Span<UInt8>, at now: MediaTime) {
        layer(of: datagram)?.received(byteCount: datagram.count, at: now)
    }

    private func layer(of datagram: Span<UInt8>) -> LayerRecorder? {
        guard PacketKind(of: datagram) == .rtp else { return nil }
        return routes.stream(of: datagram).map { layers[$0] }
    }
}
