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
