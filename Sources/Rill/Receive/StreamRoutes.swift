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

extension SSRC {
    /// The sender of an RTP or RTCP packet, as far as its first bytes tell (RFC 3550 §5.1, §6.4); `nil` for others.
    init?(ofSenderOf datagram: Span<UInt8>) {
        let offset: Int
        switch PacketKind(of: datagram) {
        case .rtp: offset = 8
        case .rtcp: offset = 4
        case .other: return nil
        }
        guard datagram.count >= offset + 4 else { return nil }
        self.init((0..<4).reduce(0) { $0 << 8 | UInt32(datagram[offset + $1]) })
    }
}
