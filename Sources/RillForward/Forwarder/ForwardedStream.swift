import RillCore
import RillPeer
import RillSession

/// A named stream: its publisher, the publisher's layers, and the viewers.
final class ForwardedStream {
    let name: String
    /// Who publishes it; `nil` while nobody does.
    private(set) var publisher: ICEPeerID?
    private(set) var codec: VideoCodec
    /// When the present publisher came.
    private(set) var start: MediaTime
    var layers: [PublishedLayer]
    var viewers: [Viewer] = []
    /// Which sound of its publisher is forwarded; `nil` before the first packet.
    var sound: PublishedSound?

    init(_ name: String, publisher: ICEPeerID, _ codec: VideoCodec, _ layers: [PublishedLayer], at now: MediaTime) {
        (self.name, self.publisher, self.codec, self.layers, start) = (name, publisher, codec, layers, now)
    }

    /// Another publisher takes over.
    func change(to publisher: ICEPeerID, _ codec: VideoCodec, _ layers: [PublishedLayer], at now: MediaTime) {
        (self.publisher, self.codec, self.layers, start) = (publisher, codec, layers, now)
        for viewer in viewers { viewer.beginAnew() }
    }

    /// The publisher has left.
    func lose() {
        (publisher, layers) = (nil, [])
        for viewer in viewers { viewer.beginAnew() }
    }

    /// The indices of the layers, the best one first: by their pixels, and before these are known in the publisher's order.
    var order: [Int] {
        layers.indices.sorted { (layers[$0].pixelCount, -$0) > (layers[$1].pixelCount, -$1) }
    }

    /// The layer that a name means: one of the publisher's, or `high` and `low` for the best and the last one.
    func find(_ name: String) -> Int? {
        if let index = layers.firstIndex(where: { $0.name == name }) { return index }
        return switch name {
        case "high": order.first
        case "low": order.last
        default: nil
        }
    }

    /// The layer that a viewer gets who has asked for one: that layer, unless it has stopped while others are there.
    ///
    /// - Returns: its index; `nil` if it has stopped, and one of the others is to be chosen.
    func running(_ layer: Int, at now: MediaTime) -> Int? {
        // A layer may begin later than the others.
        let isNew = now - start < KeyFrameRequester.stopTimeout
        if isNew || layers[layer].isRunning(at: now) { return layer }
        return layers.contains { $0.isRunning(at: now) } ? nil : layer
    }

    func index(of stream: ReceivingStreamID) -> Int? { layers.firstIndex { $0.id == stream } }
}
