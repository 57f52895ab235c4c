import Rill
import RillPeer
import RillTestSupport

/// Another call of ours as the other side, with both layers both ways.
final class RillOther: WebRTCOther {
    private let ours: WebRTCEnd
    private let settings: WebRTCSettings
    private var peer: WebRTCPeer?
    private var start = ContinuousClock.now

    init(codec: VideoCodec, _ settings: WebRTCSettings) throws {
        ours = try WebRTCEnd(codec: codec)
        self.settings = settings
    }

    func offer() throws -> String {
        let peer = try ours.port.offer(settings)
        self.peer = peer
        return peer.localDescription
    }

    func answer(_ offer: String) throws -> String {
        start = .now
        let peer = try ours.port.answer(offer, settings)
        self.peer = peer
        try ours.show(peer)
        return peer.localDescription
    }

    func accept(_ answer: String) throws {
        start = .now
        let peer = try existing(peer)
        try peer.accept(answer)
        try ours.show(peer)
    }

    func count() throws -> OtherCounts {
        let peer = try existing(peer)
        var counts = OtherCounts(state: peer.connectionState.rawValue)
        counts.sent = peer.participant?.statistics.session.sending.map(\.stream.framesSent)
        counts.decoded = ours.pictures.sorted { $0.key.description < $1.key.description }.map(\.value.count)
        counts.srtp = peer.statistics?.transport.srtpCipher
        counts.firstPicture = ours.pictures.values.map(\.time).min().map { ($0 - start).milliseconds }
        return counts
    }

    func end() async { await ours.call.end() }
}
