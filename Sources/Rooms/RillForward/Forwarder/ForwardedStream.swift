import RillCore
import RillPeer
import RillSession

/// A named stream: its publisher, the publisher's layers, and who gets them.
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
    /// The slots that show it.
    var subscriptions: [Subscription] = []
    /// Who hears it.
    var listeners: [SoundSubscription] = []
    /// The members who want to hear it, whether they do or not.
    var audience: [ICEPeerID] = []
    /// Whether its pictures and its sound are withheld.
    var isMuted = (pictures: false, sound: false)
    /// The room whose speakers are compared; `nil` for none.
    var room: String?
    /// Its number among the speakers.
    let number: Int
    /// When it may next take the place of a quieter one.
    var nextContest = MediaTime(nanoseconds: .min)
    /// Whether a key frame has ever come.
    private(set) var hasBeenLive = false
    /// Which sound of its publisher is forwarded; `nil` before the first packet.
    var sound: PublishedSound?

    init(_ name: String, number: Int, _ publication: Publication, at now: MediaTime) {
        (self.name, self.number, self.publication) = (name, number, publication)
        (codec, layers) = (publication.codecs.first ?? .default, publication.layers)
        start = now
    }

    /// Who publishes it; `nil` while nobody does.
    var publisher: ICEPeerID? { publication?.id }
    /// Whether its publisher has sent a key frame.
    var isLive: Bool { layers.contains { $0.keyFrameCount > 0 } }

    /// Another publisher takes over.
    func change(to publication: Publication, at now: MediaTime) {
        hasBeenLive = hasBeenLive || isLive
        (self.publication, layers, start) = (publication, publication.layers, now)
        codec = publication.codecs.first ?? codec
        for slot in subscriptions { slot.restart() }
        for listener in listeners { listener.restart() }
    }

    /// The publisher has left.
    func lose() {
        hasBeenLive = hasBeenLive || isLive
        (publication, layers) = (nil, [])
        for slot in subscriptions { slot.restart() }
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
        if isNew(at: now) || layers[layer].isRunning(at: now) { return layer }
        return layers.contains { $0.isRunning(at: now) } ? nil : layer
    }

    /// Whether a layer may still begin: they do not all begin at once.
    func isNew(at now: MediaTime) -> Bool { now - start < KeyFrameRequester.stopTimeout }

    func index(of stream: ReceivingStreamID) -> Int? { layers.firstIndex { $0.id == stream } }

    /// Whether a stream of a session is a layer of this one: of the present publisher, or of one that takes over.
    func isOf(_ id: ICEPeerID, _ received: ReceivingStreamID) -> Bool {
        publication?.has(id, received) == true || pending.contains { $0.has(id, received) }
    }
}

/// A publisher's session: what it publishes, and who it is.
struct Publication {
    let id: ICEPeerID
    /// The codecs that it may send, of which it may take another at any time. The first is the preferred one. None of a
    /// publisher of sound alone.
    let codecs: [VideoCodec]
    /// Its layers, before their first frame.
    let layers: [PublishedLayer]
    /// The first session of the publisher's, from which this one follows.
    let origin: ICEPeerID
    /// The subject of its token.
    let subject: String?

    fileprivate func has(_ id: ICEPeerID, _ received: ReceivingStreamID) -> Bool {
        self.id == id && layers.contains { $0.id == received }
    }
}
