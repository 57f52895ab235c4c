import RillCore
import RillPeer
import RillSession

/// A named stream: its publisher, the publisher's layers, and the viewers.
final class ForwardedStream {
    let name: String
    /// The publisher whose frames are forwarded; `nil` while there is none.
    private(set) var publication: Publication?
    /// Publishers that take over with their first key frame, the newest one last.
    var pending: [Publication] = []
    /// The codec of the present publisher, or of the last one.
    var codec: VideoCodec
    /// When the present publisher came.
    private(set) var start: MediaTime
    var layers: [PublishedLayer]
    var viewers: [Viewer] = []
    /// Whether a key frame has ever come.
    private(set) var hasBeenLive = false
    /// Which sound of its publisher is forwarded; `nil` before the first packet.
    var sound: PublishedSound?

    init(_ name: String, _ publication: Publication, at now: MediaTime) {
        (self.name, self.publication, codec, layers) = (name, publication, publication.codecs[0], publication.layers)
        start = now
    }

    /// Who publishes it; `nil` while nobody does.
    var publisher: ICEPeerID? { publication?.id }
    /// Whether its publisher has sent a key frame.
    var isLive: Bool { layers.contains { $0.keyFrameCount > 0 } }

    /// Another publisher takes over.
    func change(to publication: Publication, at now: MediaTime) {
        hasBeenLive = hasBeenLive || isLive
        (self.publication, codec, layers, start) = (publication, publication.codecs[0], publication.layers, now)
        for viewer in viewers {
            viewer.restart()
            viewer.nextChoice = now
        }
    }

    /// The publisher has left.
    func lose() {
        hasBeenLive = hasBeenLive || isLive
        (publication, layers) = (nil, [])
        for viewer in viewers { viewer.restart() }
    }

    /// The indices of the layers, the best one first: by their pixels, and before these are known in the publisher's
    /// order.
    var order: [Int] {
        layers.indices.sorted { (layers[$0].pixelCount, -$0) > (layers[$1].pixelCount, -$1) }
    }

    /// The layer that a name means: one of the publisher's, or `high` and `low` for the best and the last one. Of a
    /// single layer none is `low`.
    func find(_ name: String) -> Int? {
        if let index = layers.firstIndex(where: { $0.name == name }) { return index }
        return switch name {
        case "high": order.first
        case "low" where layers.count > 1: order.last
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

/// A publisher's session: what it publishes, and who it is.
struct Publication {
    let id: ICEPeerID
    /// The codecs that it may send, of which it may take another at any time. The first is the preferred one.
    let codecs: [VideoCodec]
    /// Its layers, before their first frame.
    let layers: [PublishedLayer]
    /// The first session of the publisher's, from which this one follows.
    let origin: ICEPeerID
    /// The subject of its token.
    let subject: String?
}
