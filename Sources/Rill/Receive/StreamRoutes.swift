import RillCore
import RillRTP

/// Tells the datagrams of several streams apart by their SSRCs.
struct StreamRoutes: Sendable {
    private let ssrcs: [SSRC]

    /// Routes to streams 0, 1, … of those SSRCs.
    init(_ ssrcs: [SSRC]) {
        self.ssrcs = ssrcs
    }

    /// Which stream the datagram belongs to; `nil` for none.
    func stream(of datagram: Span<UInt8>) -> Int? {
        guard let ssrc = SSRC(ofSenderOf: datagram) else { return nil }
        return ssrcs.firstIndex(of: ssrc)
    }
}
