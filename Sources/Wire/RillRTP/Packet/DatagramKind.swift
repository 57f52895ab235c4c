/// The protocol of a datagram, according to its first two bytes (RFC 7983).
///
/// On a port shared by several protocols, the first byte distinguishes them (RFC 7983 §7):
///
/// ```text
/// +----------------+
/// |        [0..3] -+--> STUN
/// |      [16..19] -+--> ZRTP
/// |      [20..63] -+--> DTLS
/// |      [64..79] -+--> TURN channel
/// |    [128..191] -+--> RTP or RTCP, distinguished by the second byte (RFC 5761 §4)
/// +----------------+
/// ```
public enum DatagramKind: Hashable, Sendable, CaseIterable {
    /// An RTP packet.
    case rtp
    /// A compound RTCP packet.
    case rtcp
    /// STUN: ICE connectivity checks.
    case stun
    /// ZRTP.
    case zrtp
    /// DTLS.
    case dtls
    /// Data on a TURN channel.
    case turnChannel
    /// None of these, or fewer than two bytes.
    case unknown

    /// Classifies a datagram by its first two bytes.
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
