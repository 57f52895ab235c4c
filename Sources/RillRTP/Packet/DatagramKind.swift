// RFC 7983 §7: the first byte tells what a datagram is, on a port that several protocols share.
//
//     +----------------+
//     |        [0..3] -+--> STUN
//     |      [16..19] -+--> ZRTP
//     |      [20..63] -+--> DTLS
//     |      [64..79] -+--> TURN channel
//     |    [128..191] -+--> RTP or RTCP, which the second byte tells apart (RFC 5761 §4)
//     +----------------+

/// Which protocol a datagram belongs to, as far as its first two bytes tell (RFC 7983).
public enum DatagramKind: Hashable, Sendable, CaseIterable {
    /// An RTP packet.
    case rtp
    /// A compound of RTCP packets.
    case rtcp
    /// STUN: ICE's checks.
    case stun
    /// ZRTP.
    case zrtp
    /// DTLS.
    case dtls
    /// Data of a TURN channel.
    case turnChannel
    /// None of these, or fewer than two bytes.
    case unknown

    /// Looks at the first two bytes of `datagram`.
    @inlinable
    public init(of datagram: Span<UInt8>) {
        guard datagram.count >= 2 else {
            self = .unknown
            return
        }
        self =
            switch datagram[0] {
            case 128...191: (192...223).contains(datagram[1]) ? .rtcp : .rtp
            case 0...3: .stun
            case 16...19: .zrtp
            case 20...63: .dtls
            case 64...79: .turnChannel
            default: .unknown
            }
    }
}
