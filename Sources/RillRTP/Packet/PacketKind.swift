/// What a datagram is that came to a port which RTP and RTCP share (RFC 5761 §4).
///
/// The second byte decides: RTCP's packet types are 192 to 223, and RTP's payload types 64 to 95, which would look like
/// them with the marker set, must not be used on a shared port.
public enum PacketKind: Equatable, Sendable {
    /// An RTP packet, as far as its first two bytes tell.
    case rtp
    /// A compound of RTCP packets, as far as the first two bytes tell.
    case rtcp
    /// Neither: shorter than two bytes, or not version 2 (STUN and DTLS, RFC 7983, are among these).
    case other

    /// Looks at the first two bytes of `datagram`.
    public init(of datagram: Span<UInt8>) {
        guard datagram.count >= 2, datagram[0] >> 6 == RTPHeader.version else {
            self = .other
            return
        }
        self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    }
}

extension SSRC {
    /// The sender of an RTP or RTCP packet, as far as its first bytes tell (RFC 3550 §5.1, §6.4); `nil` for others.
    public init?(ofSenderOf datagram: Span<UInt8>) {
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
