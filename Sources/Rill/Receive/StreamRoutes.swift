import RillCore
import RillRTP

/// Tells the datagrams of several streams apart by their SSRCs.
struct StreamRoutes: Sendable {
    private var routes: [(ssrc: SSRC, stream: Int)] = []

    /// Routes to streams 0, 1, … of those SSRCs.
    init(_ ssrcs: [SSRC]) {
        routes = ssrcs.enumerated().map { ($1, $0) }
    }

    /// Routes to streams 0, 1, … of those settings, their retransmissions included.
    init(_ streams: [ReceiveSettings]) {
        for (index, settings) in streams.enumerated() { routes += settings.sources.map { ($0, index) } }
    }

    /// Which stream the datagram belongs to; `nil` for none.
    func stream(of datagram: Span<UInt8>) -> Int? {
        guard let ssrc = SSRC(ofSenderOf: datagram) else { return nil }
        return routes.first { $0.ssrc == ssrc }?.stream
    }
}
